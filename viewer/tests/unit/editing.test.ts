import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as THREE from 'three';
import { quaternion_of, rotation_vector } from '../../src/interact/edit_mode';
import { add_points, as_handles, points_in_box, points_near, region_centre, sent_points, type Region } from '../../src/interact/edit_regions';

const region = (...points: number[]): Region => ({ points: new Set(points), translation: [0, 0, 0], rotation: [0, 0, 0] });

test('a point belongs to one region', () => {
  const regions = [region(1, 2, 3), region(4)];
  add_points(regions, 1, [3, 5]);
  assert.deepEqual(as_handles(regions).map((h) => h.points), [[1, 2], [3, 4, 5]]);
});

test('large regions are thinned evenly, and turn about what is sent', () => {
  const large = region(...Array.from({ length: 4000 }, (_, i) => i));
  const sent = sent_points(large);
  assert.equal(sent.length, 400);
  assert.equal(new Set(sent).size, 400);
  const rest = Float32Array.from({ length: 12000 }, (_, i) => (i % 3 === 0 ? i / 3 : 0));
  const mean = sent.reduce((a, b) => a + b, 0) / sent.length;
  assert.ok(Math.abs(region_centre(large, rest)[0] - mean) < 1e-9);
});

test('points under the brush and in the box', () => {
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0.5, 0, 9, 9, 9);
  assert.deepEqual(points_near(positions, 3, [0, 0, 0], 0.6), [0, 2]);
  const camera = new THREE.OrthographicCamera(-2, 2, 2, -2, 0, 10);
  camera.position.z = 5;
  camera.updateMatrixWorld();
  const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  assert.deepEqual(points_in_box(positions, 3, matrix.elements, { left: 0.2, right: 1, bottom: -1, top: 1 }), [1]);
  assert.deepEqual(points_in_box(positions, 3, matrix.elements, { left: -0.1, right: 0.1, bottom: -0.1, top: 1 }), [0, 2]);
});

test('rotations as axis times angle and back', () => {
  for (const rotation of [[0, 0, 0], [0.3, -0.2, 0.9], [0, 3, 0], [1e-9, 0, 0]] as [number, number, number][]) {
    const back = rotation_vector(quaternion_of(rotation));
    back.forEach((value, i) => assert.ok(Math.abs(value - rotation[i]) < 1e-6));
  }
  const opposite = quaternion_of([0, 3, 0]);
  opposite.set(-opposite.x, -opposite.y, -opposite.z, -opposite.w);
  assert.ok(Math.abs(rotation_vector(opposite)[1] - 3) < 1e-6);
});
