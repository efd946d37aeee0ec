"""Table 1: what a body costs offline and in a step."""

import numpy as np

import pliant
from support import Clock, digits, log, table

from .models import QUICK, TABLE_1, Subject


def steps_per_second(simulator, seconds, most):
    """Steps a second and microseconds a phase, over so many seconds or steps; after a few that warm up."""
    for _ in range(3):
        simulator.step()
    phases, count, spent = {}, 0, 0.0
    while count < 3 or (spent < seconds and count < most):
        with Clock() as clock:
            simulator.step()
        spent += clock.seconds
        count += 1
        for name, microseconds in simulator.trace.items():
            phases[name] = phases.get(name, 0.0) + microseconds
    return count / spent, {name: total / count for name, total in phases.items()}


def row(model, context):
    subject = Subject(model, context)
    with Clock() as offline:
        reduced = subject.reduce()
    simulator = subject.drop(pliant.Hrpd(reduced, iterations=10, acceleration=0))
    seconds = 0.5 if context.quick else 3.0
    speed, phases = steps_per_second(simulator, seconds, 2000)
    with Clock() as shown:
        for _ in range(5):
            simulator.positions
    with Clock() as full_offline:
        full = subject.drop(subject.full(iterations=10))
        full.step()
    full_speed, _ = steps_per_second(full, (6.0 if context.full else 2.0) if not context.quick else 0.2, 100)
    if not np.isfinite(simulator.positions).all():
        raise RuntimeError(f"{model.name}: positions are not finite")
    log(f"  {model.name}: offline {offline.seconds:.1f} s, {speed:.0f} steps/s, full {full_speed:.2f}")
    return {"source": subject.source, "vertices": len(subject.x), "constraints": len(subject.constraints),
            "dofs": reduced.degrees_of_freedom, "samples": sum(reduced.samples.values()),
            "offline_s": offline.seconds, "stages": dict(reduced.measured), "steps_per_s": speed,
            "with_positions_per_s": 1 / (1 / speed + shown.seconds / 5),
            "local_us": phases["local"] / 10, "global_us": phases["global"] / 10, "phases": phases,
            "full_offline_s": full_offline.seconds, "full_steps_per_s": full_speed, "paper": model.paper}


def run_table1(context):
    for model in QUICK if context.quick else TABLE_1:
        if not context.models or model.name in context.models:
            context.results.item("table1", model.name, lambda: row(model, context))


def report_table1(data):
    def pair(stated, here, count=3):
        return f"{digits(stated, count)} / {digits(here, count)}"

    size = table(["model", "mesh", "vertices: paper / here", "constraints", "degrees of freedom", "evaluated"],
                 [[name, r["source"], f"{r['paper']['vertices']} / {r['vertices']}", r["constraints"],
                   f"{r['paper']['dofs']} / {r['dofs']}", r["samples"]] for name, r in data.items()])
    cost = table(["model", "offline, s", "local and partial positions, us", "global, us", "steps/s",
                  "with all positions", "full: offline, s", "full: steps/s", "times as fast"],
                 [[name, pair(r["paper"]["offline_s"], r["offline_s"]),
                   pair(r["paper"]["local_us"] + r["paper"]["partial_us"], r["local_us"]),
                   pair(r["paper"]["global_us"], r["global_us"]), pair(r["paper"]["fps"], r["steps_per_s"], 4),
                   digits(r["with_positions_per_s"]), pair(r["paper"]["full_offline_s"], r["full_offline_s"]),
                   pair(r["paper"]["full_fps"], r["full_steps_per_s"]),
                   pair(r["paper"]["fps"] / r["paper"]["full_fps"], r["steps_per_s"] / r["full_steps_per_s"])]
                  for name, r in data.items()])
    return ("Ten iterations a step; a fall onto a floor. Local and global step of one iteration. Paper / here.\n\n"
            + size + "\n" + cost)
