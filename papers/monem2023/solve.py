"""Fig. 3: what the global step costs in each subspace."""

import numpy as np

import pliant
from brandt2018.bunny import columns_of
from support import digits, log, percent, table

from .subspaces import KINDS, bases, bunny, full_run, model


def global_microseconds(simulator, steps, turns):
    """Of one turn, by the median step."""
    times = []
    for i in range(steps + 2):
        simulator.step()
        if i >= 2:
            times.append(simulator.trace["global"] / turns)
    return float(np.median(times))


def measure(context):
    subject = bunny(context)
    steps, turns = (8, 10) if context.quick else (12, 10)
    frames = full_run(subject, subject.drop, 40 if context.quick else 120)
    found, _ = bases(subject, frames, context)
    out = {"full": {"global_us": global_microseconds(subject.drop(subject.full(iterations=turns)), steps, turns)}}
    for kind in KINDS:
        exact = model(subject, kind, found, frames, fit=False)
        U = columns_of(exact)
        lengths = np.linalg.norm(U, axis=0)
        U = U[:, lengths > 0] / lengths[lengths > 0]
        products = U.T @ U
        out[kind] = {
            "global_us": global_microseconds(
                subject.drop(pliant.Hrpd(exact, iterations=turns, acceleration=0)), steps, turns),
            "hyper_us": global_microseconds(
                subject.drop(pliant.Hrpd(model(subject, kind, found, frames), iterations=turns, acceleration=0)),
                20 * steps, turns),
            "nonzeros": float((U != 0).mean()), "nonzeros_of_products": float((np.abs(products) > 0).mean())}
        log(f"  {KINDS[kind]}: {out[kind]['global_us']:.0f} us, hyper-reduced {out[kind]['hyper_us']:.0f}, full "
            f"{out['full']['global_us']:.0f}")
    return {"source": subject.source, "by_kind": out}


def run_fig3(context):
    context.results.item("fig3", "bunny", lambda: measure(context))


def report_fig3(data):
    r = data["bunny"]["by_kind"]
    full = r["full"]["global_us"]
    rows = [["all vertices", None, None, digits(full), "1", None, None]]
    rows += [[KINDS[k], percent(r[k]["nonzeros"]), percent(r[k]["nonzeros_of_products"]), digits(r[k]["global_us"]),
              digits(r[k]["global_us"] / full, 2), digits(r[k]["hyper_us"]), digits(r[k]["hyper_us"] / full, 2)]
             for k in KINDS]
    return ("Microseconds of one global step, and relative to all vertices. The paper's figure has localized PCA and SPLOCS "
            "faster than skinning, by the sparsity of their columns; it states no numbers. Here the small matrix is dense "
            "for all, so that sparsity does not count; a global step of positions alone is a product with a factor of 200 "
            "columns, a hyper-reduced one with the fitted projections.\n\n"
            + table(["subspace", "nonzeros of U", "of UᵀU", "positions only, us", "of all vertices", "hyper-reduced, us",
                     "of all vertices"], rows))
