"""Subspaces and editing from Python."""
import numpy as np
import pytest

import pliant


def held_bar():
    bar = pliant.make_shape("bar", tets=600)
    fixed = np.flatnonzero(bar.vertices[:, 0] < bar.vertices[:, 0].min() + 1e-9)
    return pliant.Body(bar, material=pliant.StVK(young=1e5, poisson=0.35), fixed=fixed)


@pytest.mark.parametrize("make", [pliant.modal_basis, pliant.extended_modes, pliant.modal_derivatives])
def test_bases_are_orthonormal_reduced_modes(make):
    body = held_bar()
    modes = pliant.linear_modes(body, 4)
    basis = make(body, modes)
    d = basis.dimension
    assert d == {"linear_modes": 4, "extended_modes": 36, "modal_derivatives": 14}[basis.kind]
    U = basis.U
    assert np.abs(U.T @ (body.mass() @ U) - np.eye(d)).max() < 1e-11
    K = U.T @ (body.stiffness(body.rest_positions) @ U)
    assert np.abs(K - np.diag(basis.eigenvalues)).max() < 1e-9 * np.abs(K).max()
    q = 0.01 * np.arange(d)
    x = basis.positions(q)
    assert np.abs(x.ravel() - (basis.origin.ravel() + U @ q)).max() < 1e-12
    assert np.abs(basis.project(body, x) - q).max() < 1e-10
    assert np.abs(basis.positions_of(q, [5, 0]) - x[[5, 0]]).max() < 1e-14
    assert np.abs(basis.pull_back(x) - U.T @ x.ravel()).max() < 1e-10
    # A number instead of modes
    assert np.allclose(make(body, 4).frequencies, basis.frequencies)


def test_modes_about_a_stretched_shape_are_faster():
    bar = pliant.make_shape("bar", tets=600)
    x = bar.vertices
    ends = np.flatnonzero((x[:, 0] < x[:, 0].min() + 1e-9) | (x[:, 0] > x[:, 0].max() - 1e-9))
    body = pliant.Body(bar, material=pliant.StVK(young=1e5, poisson=0.0), fixed=ends)
    rest = pliant.linear_modes(body, 1).frequencies[0]
    assert pliant.linear_modes(body, 1, positions=x * [1.2, 1, 1]).frequencies[0] > 1.1 * rest


def test_derivatives_up_to_a_dimension():
    body = held_bar()
    assert pliant.modal_derivatives(body, 4, dimension=9).dimension == 9
    with pytest.raises(pliant.InputError, match="dimension is 3"):
        pliant.modal_derivatives(body, 4, dimension=3)


def test_an_edit_in_a_subspace_is_near_that_of_all_vertices():
    body = held_bar()
    x = body.rest_positions
    tip = np.flatnonzero(x[:, 0] > x[:, 0].max() - 1e-9)
    basis = pliant.extended_modes(body, 10)
    handles = [pliant.Handle(tip, translation=[-0.05, 0.2, 0], rotation=[0.5, 0, 0])]
    editor = pliant.PoseEditor(body, basis)
    editor.set_handles(handles)
    assert editor.solve(steps=4).converged
    full, report = pliant.solve_full_pose(body, handles, pliant.handle_stiffness(basis))
    assert report.converged
    assert np.abs(editor.positions - full).max() < 0.1 * np.abs(full - x).max()
    with pytest.raises(pliant.InputError, match="selects no vertex"):
        editor.set_handles([pliant.Handle([])])


def test_a_loaded_model_is_all_that_an_edit_needs(tmp_path):
    body = held_bar()
    model = pliant.reduce(body, modes=4, samples=60, poses=100)
    model.save(tmp_path / "bar.pliant")
    loaded = pliant.ReducedFem.load(tmp_path / "bar.pliant")
    tip = {"where": {"box": {"low": [0.95, 0, 0], "high": [1, 1, 1]}, "relative": True}, "translation": [0, 0.2, 0]}
    editor = pliant.PoseEditor(loaded)
    editor.load_handles({"handles": [tip]})
    report = editor.solve()
    assert report.converged and report.residual < 1e-3
    x = editor.positions
    assert np.abs(x - loaded.positions(editor.q)).max() == 0 and loaded.shown(x).tets.shape == loaded.tets.shape
    exact = pliant.PoseEditor(body, pliant.extended_modes(body, 4))
    exact.set_handles(editor.handles)
    exact.solve()
    moved = np.abs(exact.positions - body.rest_positions).max()
    assert np.abs(x - exact.positions).max() < 0.05 * moved and report.handle_error < 0.1 * moved
    (tmp_path / "handles.json").write_text('{"handles": [{"where": {"vertices": [9999999]}}]}')
    with pytest.raises(pliant.InputError, match=r"handles.json: handles\[0\].where.vertices\[0\] is 9999999"):
        editor.load_handles(tmp_path / "handles.json")
    with pytest.raises(pliant.InputError, match="all fixed"):
        editor.load_handles({"handles": [{**tip, "where": {"vertices": loaded.fixed}}]})
