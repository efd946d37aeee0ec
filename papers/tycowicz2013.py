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

import argparse
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import support  # noqa: E402
from tycowicz2013 import cubature, motion, subspaces  # noqa: E402

SECTIONS = {  # name: title, run(context), report(data of the section)
    "table1": ("Table 1: cubature and real-time simulation", cubature.run_table1, cubature.report_table1),
    "table2": ("Table 2 and Fig. 9: how close subspaces come", subspaces.run_table2, subspaces.report_table2),
    "table3": ("Table 3: what subspaces cost", subspaces.run_table3, subspaces.report_table3),
    "fig7": ("Fig. 7: two materials", subspaces.run_fig7, subspaces.report_fig7),
    "fig8": ("Fig. 8: a spring pulls", motion.run_fig8, motion.report_fig8),
    "fig10": ("Fig. 10: a vertex over time", motion.run_fig10, motion.report_fig10),
    "fig11": ("Fig. 11: error against the number of elements", cubature.run_fig11, cubature.report_fig11),
    "fig12": ("Fig. 12: error against time", cubature.run_fig12, cubature.report_fig12),
}


class Context:
    """What every section gets."""

    def __init__(self, arguments, results):
        self.quick, self.full = arguments.quick, arguments.full
        self.models = arguments.models.split(",") if arguments.models else None
        self.meshes = None if arguments.quick else support.find_meshes(arguments.meshes)
        self.picture = {"width": 600, "samples": 4} if arguments.quick else {}
        self.results, self.folder = results, results.folder


def write_report(results, words):
    sections = results.data["sections"]
    lines = ["# An efficient construction of reduced deformable objects: rerun\n",
             f"`{' '.join(words)}` on {platform.machine()}, {os.cpu_count()} cores. The paper's times are of "
             "a laptop of 2012.\n"]
    for name, (title, _, report) in SECTIONS.items():
        if sections.get(name):
            more = [sections.get("fig10", {}).get("dragon")] if name == "table2" else []  # its last row
            lines += [f"## {title}\n", report(sections[name], *more)]
    temporary = results.folder / "report.tmp"
    temporary.write_text("\n".join(lines))
    os.replace(temporary, results.folder / "report.md")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default="tycowicz2013",
                        help="folder for the results (default: %(default)s)")
    parser.add_argument("--meshes", help="folder of real meshes")
    parser.add_argument("--only", help="sections, with commas between them: " + ", ".join(SECTIONS))
    parser.add_argument("--models", help="of table1, with commas between them (default: all)")
    parser.add_argument("--resume", action="store_true", help="keep what is finished")
    parser.add_argument("--quick", action="store_true",
                        help="small shapes of the project instead of the paper's sizes")
    parser.add_argument("--full", action="store_true",
                        help="as many training poses as the paper; takes twice as long")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(SECTIONS)
    for name in chosen:
        if name not in SECTIONS:
            parser.error(f"--only {name}: expected some of {', '.join(SECTIONS)}")
    results = support.Results(arguments.output, {"quick": arguments.quick, "full": arguments.full},
                              arguments.resume)
    context = Context(arguments, results)
    words = ["python3", "papers/tycowicz2013.py", *(["--quick"] if arguments.quick else []),
             *(["--full"] if arguments.full else [])]
    try:
        for name in chosen:
            support.log(SECTIONS[name][0])
            SECTIONS[name][1](context)
            write_report(results, words)
    except KeyboardInterrupt:
        write_report(results, words)
        raise SystemExit(f"interrupted; what is finished is in {results.folder}; go on with --resume")
    support.log(f"done: {results.folder / 'report.md'}")


if __name__ == "__main__":
    main()
