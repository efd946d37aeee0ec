import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse_frame } from '../../src/net/frame';
import { floats, ids, read_safetensors } from '../../src/net/safetensors';

function frame(kind: number, count: number, payload: ArrayBuffer): ArrayBuffer {
  const bytes = new Uint8Array(24 + payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, kind, true);
  view.setUint32(4, 7, true);
  view.setUint16(8, 2, true);
  view.setUint16(10, 1, true);
  view.setUint32(12, count, true);
  view.setFloat64(16, 1.25, true);
  bytes.set(new Uint8Array(payload), 24);
  return bytes.buffer;
}

test('a frame of coordinates', () => {
  const parsed = parse_frame(frame(1, 3, Float32Array.of(1, 2, 3).buffer));
  assert.equal(parsed.kind, 'coordinates');
  assert.deepEqual([parsed.version, parsed.body, parsed.repeated, parsed.time], [7, 2, true, 1.25]);
  assert.deepEqual([...parsed.coordinates], [1, 2, 3]);
});

test('a frame of quantised positions', () => {
  const payload = new Uint8Array(24 + 6);
  payload.set(new Uint8Array(Float32Array.of(0, 1, 2, 0.5, 0.25, 1).buffer));
  payload.set(new Uint8Array(Uint16Array.of(1, 2, 65535).buffer), 24);
  const parsed = parse_frame(frame(3, 3, payload.buffer));
  assert.equal(parsed.kind, 'ghost');
  assert.deepEqual([parsed.low, parsed.step], [[0, 1, 2], [0.5, 0.25, 1]]);
  assert.deepEqual([...parsed.quantised], [1, 2, 65535]);
});

test('bytes that are no frame get a sentence', () => {
  assert.throws(() => parse_frame(new ArrayBuffer(5)), /5 bytes; expected at least 24/);
  assert.throws(() => parse_frame(frame(9, 0, new ArrayBuffer(0))), /kind is 9; expected 1, 2 or 3/);
  assert.throws(() => parse_frame(frame(1, 4, new ArrayBuffer(8))), /8 bytes of payload; expected 16/);
  assert.throws(() => parse_frame(frame(2, 4, new ArrayBuffer(8))), /expected a box/);
});

function container(header: object, data: Uint8Array): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes.buffer;
}

test('safetensors: arrays by name, whatever their address', () => {
  const data = new Uint8Array(9 + 8);
  data.set(new Uint8Array(Uint32Array.of(5, 6).buffer));
  data.set(new Uint8Array(Float32Array.of(0.5, -2).buffer), 9);
  const tensors = read_safetensors(
    container(
      {
        __metadata__: { made: 'by hand' },
        a: { dtype: 'U32', shape: [2], data_offsets: [0, 8] },
        b: { dtype: 'F32', shape: [1, 2], data_offsets: [9, 17] },
      },
      data,
    ),
  );
  assert.deepEqual([...ids(tensors, 'a')], [5, 6]);
  assert.deepEqual([...floats(tensors, 'b')], [0.5, -2]);
  assert.deepEqual([...floats(tensors, 'missing')], []);
});

test('safetensors: sizes that do not fit get a sentence', () => {
  assert.throws(() => read_safetensors(new ArrayBuffer(3)), /3 bytes; expected at least 8/);
  const wrong = { a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } };
  assert.throws(() => read_safetensors(container(wrong, new Uint8Array(8))), /a lies at 0 to 8; expected 12 bytes/);
  const beyond = { a: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } };
  assert.throws(() => read_safetensors(container(beyond, new Uint8Array(8))), /inside the file/);
});
