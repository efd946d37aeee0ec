// A binary frame: 24 bytes of header, then float32 coordinates, or a box and uint16 positions inside it.

export type FrameKind = 'coordinates' | 'positions' | 'ghost';
const KINDS: Record<number, FrameKind> = { 1: 'coordinates', 2: 'positions', 3: 'ghost' };
const HEADER_BYTES = 24;
const BOX_BYTES = 24;

export interface Frame {
  kind: FrameKind;
  version: number; // of the scene it belongs to
  body: number;
  repeated: boolean; // paused or at rest: nothing has moved since the last one
  time: number; // simulated seconds
  coordinates: Float32Array; // empty for quantised positions
  low: [number, number, number]; // of quantised positions: x = low + step * u
  step: [number, number, number];
  quantised: Uint16Array;
}

/// Throws a sentence where the bytes are not a frame.
export function parse_frame(bytes: ArrayBuffer): Frame {
  if (bytes.byteLength < HEADER_BYTES) {
    throw new Error(`frame: ${bytes.byteLength} bytes; expected at least ${HEADER_BYTES}`);
  }
  const view = new DataView(bytes);
  const code = view.getUint32(0, true);
  const kind = KINDS[code];
  if (!kind) throw new Error(`frame: kind is ${code}; expected 1, 2 or 3`);
  const count = view.getUint32(12, true);
  const frame: Frame = {
    kind,
    version: view.getUint32(4, true),
    body: view.getUint16(8, true),
    repeated: (view.getUint16(10, true) & 1) !== 0,
    time: view.getFloat64(16, true),
    coordinates: new Float32Array(0),
    low: [0, 0, 0],
    step: [0, 0, 0],
    quantised: new Uint16Array(0),
  };
  const payload = bytes.byteLength - HEADER_BYTES;
  if (kind === 'coordinates') {
    if (payload !== 4 * count) throw new Error(`frame: ${payload} bytes of payload; expected ${4 * count}`);
    frame.coordinates = new Float32Array(bytes, HEADER_BYTES, count);
    return frame;
  }
  // `count` may or may not include the six numbers of the box; the bytes decide.
  const numbers = (payload - BOX_BYTES) / 2;
  if (numbers < 0 || numbers % 3 !== 0) {
    throw new Error(`frame: ${payload} bytes of payload; expected a box and three uint16 a point`);
  }
  const box = new Float32Array(bytes, HEADER_BYTES, 6);
  frame.low = [box[0]!, box[1]!, box[2]!];
  frame.step = [box[3]!, box[4]!, box[5]!];
  frame.quantised = new Uint16Array(bytes, HEADER_BYTES + BOX_BYTES, numbers);
  return frame;
}
