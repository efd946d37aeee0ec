"""Reruns the experiments of one paper, with what it states beside what comes out here.

    PYTHONPATH=build/python python3 papers/monem2023.py            # all, about ten minutes on two cores
    PYTHONPATH=build/python python3 papers/monem2023.py --only bunny --resume
    PYTHONPATH=build/python python3 papers/monem2023.py --quick    # small shapes, seconds

Writes a folder with results.json (every number), plots and pictures, and report.md. What is finished is kept
when the run is interrupted; --resume goes on from there. Real meshes are looked for in --meshes, in
PLIANT_MESHES, and in shared/meshes beside the clone; otherwise shapes of the project stand for them.

Monem, Benner, Lessig: Improved projective dynamics global using snapshots-based reduced bases. SIGGRAPH Posters 2023.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import support  # noqa: E402
from monem2023 import falls, projections, sequences, solve  # noqa: E402

SECTIONS = {  # name: title, run(context), report(data of all sections)
    "bunny": ("Figs. 1 and 4: a falling bunny in subspaces of 200 vectors", falls.run_bunny,
              lambda data: falls.report_bunny(data["bunny"])),
    "fig3": ("Fig. 3: time of the global solve", solve.run_fig3, lambda data: solve.report_fig3(data["fig3"])),
    "other": ("A motion that was not recorded", falls.run_other, lambda data: falls.report_other(data["other"])),
    "shell": ("A shell", falls.run_shell, lambda data: falls.report_shell(data["shell"])),
    "projections": ("Recorded projections", projections.run_projections,
                    lambda data: projections.report_projections(data["projections"])),
    "sequences": ("Sequences of meshes", sequences.run_sequences,
                  lambda data: sequences.report_sequences(data["sequences"])),
}

if __name__ == "__main__":
    support.run_script("monem2023", "Snapshots-based reduced bases for projective dynamics", __doc__,
                       "The paper's figures have no numbers in its text; what it says stands beside ours.", SECTIONS,
                       "compares the full run with one of four times the turns, not twice")
