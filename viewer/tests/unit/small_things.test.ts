import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format_number, format_seconds, group_thousands, words } from '../../src/data/format';
import { from_slider, round_down_nicely, to_slider } from '../../src/data/scale';
import { bounds, stack } from '../../src/panel/plot';
import { crc32, make_zip } from '../../src/record/zip';

test('numbers as a person reads them', () => {
  assert.equal(format_number(0), '0');
  assert.equal(format_number(0.031249), '0.0312');
  assert.equal(format_number(-2.5), '-2.5');
  assert.equal(format_number(3.14159e-7), '3.14e-7');
  assert.equal(format_number(12345), group_thousands(12345));
  assert.equal(format_number(1e9), '1.00e9');
  assert.equal(format_number(NaN), '–');
  assert.equal(group_thousands(1234567).split('\u2009').join(','), '1,234,567');
  assert.equal(format_seconds(125).replace('\u2009', ' '), '2:05 min');
  assert.equal(words('fresh_error'), 'fresh error');
});

test('sliders: there and back, evenly and by logarithm', () => {
  for (const range of [{ minimum: -20, maximum: 20 }, { minimum: 0.01, maximum: 100, logarithmic: true }]) {
    for (const part of [0, 0.25, 0.5, 1]) assert.ok(Math.abs(to_slider(from_slider(part, range), range) - part) < 1e-12);
    assert.equal(to_slider(1e9, range), 1);
    assert.equal(to_slider(-1e9, range), 0);
  }
  assert.ok(Math.abs(from_slider(0.5, { minimum: 0.01, maximum: 100, logarithmic: true }) - 1) < 1e-12);
  assert.deepEqual([0.013, 0.27, 7, 50].map(round_down_nicely).map((v) => Number(v.toPrecision(6))), [0.01, 0.2, 5, 50]);
});

test('plots: areas are stacked, bounds are never empty', () => {
  assert.deepEqual(stack([[1, 2], [3, 4]]), [[1, 2], [4, 6]]);
  assert.deepEqual(bounds([[2, 5]], true), [0, 5]);
  assert.deepEqual(bounds([[2, 5]], false), [2, 5]);
  const [low, high] = bounds([[3, 3]], false);
  assert.ok(high > low);
});

test('zip: the checksum of the textbooks, and a directory that names every part', async () => {
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  const parts = [{ name: 'a.png', bytes: Uint8Array.of(1, 2, 3) }, { name: 'b.png', bytes: new Uint8Array(0) }];
  const view = new DataView(await make_zip(parts).arrayBuffer());
  const end = view.byteLength - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  assert.equal(view.getUint16(end + 10, true), 2);
  let at = view.getUint32(end + 16, true);
  for (const part of parts) {
    assert.equal(view.getUint32(at, true), 0x02014b50);
    assert.equal(view.getUint32(at + 16, true), crc32(part.bytes));
    assert.equal(view.getUint32(at + 20, true), part.bytes.length);
    const local = view.getUint32(at + 42, true);
    assert.equal(view.getUint32(local, true), 0x04034b50);
    assert.equal(view.getUint8(local + 30), part.name.charCodeAt(0));
    at += 46 + part.name.length;
  }
});
