import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pad_rows, quantise } from '../../src/gpu/decoder';
import { pad_to_four, table_shape } from '../../src/gpu/table';

test('a table has room for all texels within the limits of every GPU', () => {
  for (const texels of [0, 1, 5, 1024, 1025, 400_000, 5_000_000, 60_000_000]) {
    const { width, height, layers } = table_shape(texels);
    assert.ok(width * height * layers >= texels);
    assert.ok(width <= 2048 && height <= 2048 && layers <= 256);
    // No more than one row a layer and one rest of a row is wasted.
    assert.ok(width * height * layers - texels <= width * (layers + 1));
  }
});

test('rows are padded to whole texels', () => {
  assert.deepEqual([...pad_rows(Float32Array.of(1, 2, 3, 4, 5, 6), 3)], [1, 2, 3, 0, 4, 5, 6, 0]);
  const whole = new Float32Array(8);
  assert.equal(pad_rows(whole, 4), whole);
  assert.deepEqual([...pad_to_four(Float32Array.of(1, 2, 3))], [1, 2, 3, 0]);
});

test('quantised positions are right to half a step, and flat boxes stay flat', () => {
  const xyz = Float32Array.from({ length: 300 }, (_, i) => (i % 3 === 2 ? 4 : Math.sin(i * i)));
  const { low, step, quantised } = quantise(xyz);
  xyz.forEach((value, i) => {
    assert.ok(Math.abs(low[i % 3] + step[i % 3] * quantised[i] - value) <= 0.5 * step[i % 3] + 1e-6);
  });
  assert.deepEqual([low[2], step[2]], [4, 0]);
});
