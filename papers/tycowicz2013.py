"""Reruns the experiments of one paper, with its stated values beside what comes out here.

    PYTHONPATH=build/python python3 papers/tycowicz2013.py            # all, about an hour on two cores
    PYTHONPATH=build/python python3 papers/tycowicz2013.py --only table1,fig10 --resume
    PYTHONPATH=build/python python3 papers/tycowicz2013.py --quick    # small shapes, seconds

Writes a folder with results.json (every number), plots and pictures, and report.md. What is finished is kept
when the run is interrupted; --resume goes on from there. Real meshes are looked for in --meshes, in
PLIANT_MESHES, and in shared/meshes beside the clone; otherwise shapes of the project stand for them.

von Tycowicz, Schulz, Seidel, Hildebrandt: An efficient construction of reduced deformable objects.
SIGGRAPH Asia 2013.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import support  # noqa: E402
from tycowicz2013 import cubature, motion, subspaces  # noqa: E402


def report_table2(data):
    return subspaces.report_table2(data["table2"], data.get("fig10", {}).get("dragon"))  # its last row


SECTIONS = {  # name: title, run(context), report(data of all sections)
    "table1": ("Table 1: cubature and real-time simulation", cubature.run_table1,
               lambda data: cubature.report_table1(data["table1"])),
    "table2": ("Table 2 and Fig. 9: how close subspaces come", subspaces.run_table2, report_table2),
    "table3": ("Table 3: what subspaces cost", subspaces.run_table3,
               lambda data: subspaces.report_table3(data["table3"])),
    "fig7": ("Fig. 7: two materials", subspaces.run_fig7, lambda data: subspaces.report_fig7(data["fig7"])),
    "fig8": ("Fig. 8: a spring pulls", motion.run_fig8, lambda data: motion.report_fig8(data["fig8"])),
    "fig10": ("Fig. 10: a vertex over time", motion.run_fig10,
              lambda data: motion.report_fig10(data["fig10"])),
    "fig11": ("Fig. 11: error against the number of elements", cubature.run_fig11,
              lambda data: cubature.report_fig11(data["fig11"])),
    "fig12": ("Fig. 12: error against time", cubature.run_fig12,
              lambda data: cubature.report_fig12(data["fig12"])),
}

if __name__ == "__main__":
    support.run_script("tycowicz2013", "An efficient construction of reduced deformable objects", __doc__,
                       "The paper's times are of a laptop of 2012.", SECTIONS,
                       "as many training poses as the paper; takes twice as long")
