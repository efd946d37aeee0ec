"""An include only ever points down. Reads every source file, and the floors below, and fails on an upward one."""

import re
import sys
from pathlib import Path

# Lowest first. Rooms on one floor do not know each other, but for floor 0, where each knows those before it.
FLOOR_ZERO = ["base", "numerics", "geometry"]
FLOORS = [
    ["elasticity", "contact", "rig", "io"],
    ["subspace"],
    ["simulation", "hyperreduction"],
    ["reduced", "fullspace"],
    ["editing"],
    ["scene"],
    ["server"],
]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]pliant/(\w+)/', re.MULTILINE)


def allowed():
    """room -> the rooms it may include"""
    below, rooms = [], {}
    for room in FLOOR_ZERO:
        rooms[room] = {room, *below}
        below.append(room)
    for floor in FLOORS:
        for room in floor:
            rooms[room] = {room, *below}
        below += floor
    return rooms


def violations(source):
    rooms = allowed()
    for folder in sorted(p for p in (source / "src" / "pliant").iterdir() if p.is_dir()):
        if folder.name not in rooms:
            yield f"{folder}: this room is on no floor; add it to {Path(__file__).name}"
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                if match[1] not in rooms[folder.name]:
                    line = text.count("\n", 0, match.start(1)) + 1
                    yield f"{path}:{line}: {folder.name} may not include {match[1]}"


def self_test():
    """The rule itself: a test that cannot fail proves nothing."""
    rooms = allowed()
    assert "base" in rooms["geometry"] and "geometry" not in rooms["base"]
    assert "io" not in rooms["elasticity"] and "elasticity" not in rooms["io"]
    assert "subspace" in rooms["reduced"] and "fullspace" not in rooms["reduced"]
    assert INCLUDE.findall('#include "pliant/io/read_obj.h"\n') == ["io"]


if __name__ == "__main__":
    self_test()
    found = list(violations(Path(sys.argv[1])))
    print("\n".join(found) or "every include points down")
    sys.exit(1 if found else 0)
