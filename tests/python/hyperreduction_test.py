"""Cubature and polynomials from Python."""

import numpy as np
import pytest

import pliant


@pytest.fixture(scope="module")
def bar():
    mesh = pliant.make_shape("bar", tets=1000)
    x = mesh.vertices[:, 0]
    body = pliant.Body(mesh, material=pliant.StVK(young=1e5, poisson=0.4), fixed=np.flatnonzero(x < x.min() + 1e-9))
    return body, pliant.extended_modes(body, 3)


def exact(body, basis, q):
    return basis.pull_back(body.forces(basis.positions(q)))


def test_all_elements_and_the_polynomial_are_exact(bar):
    body, basis = bar
    q = pliant.training_poses(basis, 3, scale=0.2)
    elements, polynomial = pliant.ReducedElements(body, basis), pliant.PolynomialForces(body, basis)
    for column in q.T:
        f = exact(body, basis, column)
        assert np.linalg.norm(polynomial.forces(column) - f) < 1e-10 * np.linalg.norm(f)
        assert np.linalg.norm(elements.forces(column) - f) < 1e-5 * np.linalg.norm(f)  # kept in single precision
        assert elements.energy(column) == pytest.approx(body.energy(basis.positions(column)), rel=1e-5)
        K = basis.U.T @ (body.stiffness(basis.positions(column)) @ basis.U)
        assert np.linalg.norm(elements.stiffness(column) - K) < 1e-5 * np.linalg.norm(K)


@pytest.mark.parametrize("method", ["nn_htp", "nn_htp_literal", "greedy"])
def test_cubature_learns_forces(bar, method):
    body, basis = bar
    poses = pliant.training_poses(basis, 60)
    found = pliant.cubature(body, basis, poses=poses, samples=40, method=method)
    assert len(found.elements) == len(found.weights) <= 40
    assert min(found.weights) > 0
    errors = pliant.force_errors(body, basis, found, poses)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(found.error, abs=1e-6)
    assert found.error < 0.05
    fresh = pliant.force_errors(body, basis, found, pliant.training_poses(basis, 60, seed=2))
    assert fresh.mean() < 0.1
    reduced = pliant.ReducedElements(body, basis, found)
    f = exact(body, basis, poses[:, 0])
    assert np.linalg.norm((reduced.forces(poses[:, 0]) - f) / basis.frequencies) < 0.2 * np.linalg.norm(
        f / basis.frequencies)


def test_one_problem_serves_several_cubatures(bar):
    body, basis = bar
    poses = pliant.training_poses(basis, 40)
    problem = pliant.CubatureProblem(body, basis, poses)
    assert (problem.dimension, problem.pose_count) == poses.shape
    assert problem.element_count == len(body.tets)
    for method in ("nn_htp", "greedy"):
        found = problem.cubature(20, method=method)
        same = pliant.cubature(body, basis, poses=poses, samples=20, method=method)
        assert list(found.elements) == list(same.elements) and np.array_equal(found.weights, same.weights)
        assert np.allclose(problem.errors(found), pliant.force_errors(body, basis, found, poses), atol=1e-9)


def test_a_model_is_joined_from_its_parts(bar):
    body, basis = bar
    cubature = pliant.cubature(body, basis, poses=pliant.training_poses(basis, 40), samples=30)
    model = pliant.make_reduced_fem(body, basis, cubature)
    q = pliant.training_poses(basis, 1, seed=3)[:, 0]
    assert list(model.elements) == list(cubature.elements)
    assert np.allclose(model.forces(q), pliant.ReducedElements(body, basis, cubature).forces(q), rtol=1e-6)
    everything = pliant.make_reduced_fem(body, basis)
    f = exact(body, basis, q)
    assert np.linalg.norm(everything.forces(q) - f) < 1e-5 * np.linalg.norm(f)


def test_motion_within_the_subspace_is_found_again(bar):
    body, basis = bar
    q = pliant.training_poses(basis, 5)
    assert np.allclose(pliant.poses_of_motion(body, basis, basis.U @ q), q, atol=1e-9 * np.abs(q).max())


def test_bad_input_is_a_sentence(bar):
    body, basis = bar
    with pytest.raises(pliant.InputError, match="samples"):
        pliant.cubature(body, basis, poses=pliant.training_poses(basis, 3), samples=10**6)
    with pytest.raises(pliant.InputError, match="method"):
        pliant.cubature(body, basis, method="magic")
    with pytest.raises(pliant.InputError, match="norm"):
        pliant.cubature(body, basis, norm="loud")
    with pytest.raises(pliant.InputError, match="coordinates"):
        pliant.ReducedElements(body, basis).forces(np.zeros(3))
    soft = pliant.Body(pliant.make_shape("bar", tets=300), material=pliant.NeoHookean(young=1e5, poisson=0.4))
    with pytest.raises(pliant.InputError, match="stvk"):
        pliant.PolynomialForces(soft, pliant.modal_basis(soft, 2))
