"""Reduced models from Python."""
import numpy as np
import pytest

import pliant


def bar(**options):
    return pliant.Body(pliant.make_shape("bar", tets=300), material=pliant.StVK(young=1e5, poisson=0.35), **options)


@pytest.mark.parametrize("options, sentence", [
    (dict(modes=5000), r"5000 modes of a body with \d+ degrees of freedom; expected 1 to \d+"),
    (dict(modes=3, samples=100000), r"100000 samples of \d+ elements; expected 1 to \d+"),
    (dict(modes=3, dimension=100000), r"dimension 100000 of a body with \d+ degrees of freedom"),
    (dict(basis="best"), "basis is 'best'; expected linear_modes, extended_modes or modal_derivatives"),
])
def test_what_cannot_be_gets_a_sentence(options, sentence):
    with pytest.raises(pliant.InputError, match=sentence):
        pliant.reduce(bar(), **options)


def test_a_model_cut_short_is_refused(tmp_path):
    path = tmp_path / "bar.pliant"
    pliant.reduce(bar(), modes=3, samples=20, poses=20).save(path)
    whole = path.read_bytes()
    for count in (0, 100, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:count])
        with pytest.raises(pliant.InputError, match="bar.pliant: .*(cut short|the file ends)"):
            pliant.ReducedFem.load(path)


def test_damping_may_follow_the_body():
    body = bar(damping=(0, 5e-3))
    model = pliant.reduce_exact(body, modes=3)
    x = body.rest_positions
    middle = x.mean(axis=0)
    spin = 2 * np.cross([0, 0, 1], x - middle)

    def left(damping):
        simulator = pliant.NewmarkBroyden(model, damping=damping)
        simulator.gravity = [0, 0, 0]
        simulator.set_motion(x, spin)
        before = simulator.measure().angular_momentum[2]
        for _ in range(30):
            simulator.step()
        return simulator.measure().angular_momentum[2] / before

    assert left("following") > 0.95 > 0.8 > left("at_rest")
    with pytest.raises(pliant.InputError, match="damping is 'none'; expected at_rest or following"):
        pliant.NewmarkBroyden(model, damping="none")
