"""Reruns the experiments of one paper, with its stated values beside what comes out here.

    PYTHONPATH=build/python python3 papers/brandt2018.py            # all, about twenty minutes on two cores
    PYTHONPATH=build/python python3 papers/brandt2018.py --only table1,fig4 --resume
    PYTHONPATH=build/python python3 papers/brandt2018.py --quick    # small shapes, seconds

Writes a folder with results.json (every number), plots and pictures, and report.md. What is finished is kept
when the run is interrupted; --resume goes on from there. Real meshes are looked for in --meshes, in
PLIANT_MESHES, and in shared/meshes beside the clone; otherwise shapes of the project stand for them.

Brandt, Eisemann, Hildebrandt: Hyper-reduced projective dynamics. SIGGRAPH 2018.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import support  # noqa: E402
from brandt2018 import bunny, drops, falls, speed, steps  # noqa: E402

SECTIONS = {  # name: title, run(context), report(data of all sections)
    "table1": ("Table 1: speed", speed.run_table1, lambda data: speed.report_table1(data["table1"])),
    "table2": ("Table 2: a full drop, projected into subspaces", drops.run_table2,
               lambda data: drops.report_table2(data["table2"])),
    "fig3": ("Fig. 3: how one step converges", steps.run_fig3, lambda data: steps.report_fig3(data["fig3"])),
    "fig4": ("Fig. 4: the error of the fit over a drop", falls.run_fig4,
             lambda data: falls.report_fig4(data["fig4"])),
    "fig5": ("Fig. 5: the same drop, full and reduced", drops.run_fig5,
             lambda data: drops.report_fig5(data["fig5"])),
    "fig6": ("Fig. 6: stiffness changed while running", falls.run_fig6,
             lambda data: falls.report_fig6(data["fig6"])),
    "iterations": ("Ten iterations or a thousand", steps.run_iterations,
                   lambda data: steps.report_iterations(data["iterations"])),
    "bunny": ("A falling bunny: is the subspace stable?", bunny.run_bunny,
              lambda data: bunny.report_bunny(data["bunny"])),
}

if __name__ == "__main__":
    support.run_script("brandt2018", "Hyper-reduced projective dynamics", __doc__,
                       "The paper's times are of its authors' machine.", SECTIONS,
                       "three times as long a look at the full method's speed")
