// The safetensors container: 8 bytes of header length, a JSON header, little-endian arrays.

type TensorArray = Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Tensor {
  shape: number[];
  array: TensorArray;
}

const TYPES: Record<string, { bytes: number; make: (b: ArrayBuffer, at: number, n: number) => TensorArray }> = {
  F32: { bytes: 4, make: (b, at, n) => new Float32Array(b, at, n) },
  U32: { bytes: 4, make: (b, at, n) => new Uint32Array(b, at, n) },
  I32: { bytes: 4, make: (b, at, n) => new Uint32Array(b, at, n) },
  U16: { bytes: 2, make: (b, at, n) => new Uint16Array(b, at, n) },
  U8: { bytes: 1, make: (b, at, n) => new Uint8Array(b, at, n) },
};

/// All arrays of a container by name. Arrays that lie at odd addresses are copied, others are views.
export function read_safetensors(buffer: ArrayBuffer): Map<string, Tensor> {
  if (buffer.byteLength < 8) throw new Error(`safetensors: ${buffer.byteLength} bytes; expected at least 8`);
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  if (length > buffer.byteLength - 8) {
    throw new Error(`safetensors: the header is ${length} bytes; the file has ${buffer.byteLength}`);
  }
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const start = 8 + length;
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const type = TYPES[entry.dtype];
    if (!type) throw new Error(`safetensors: ${name} is ${entry.dtype}; expected F32, U32, U16 or U8`);
    const [begin, end] = entry.data_offsets;
    const count = entry.shape.reduce((a, b) => a * b, 1);
    if (end - begin !== count * type.bytes || begin < 0 || start + end > buffer.byteLength) {
      throw new Error(`safetensors: ${name} lies at ${begin} to ${end}; expected ${count * type.bytes} bytes inside the file`);
    }
    const aligned = (start + begin) % type.bytes === 0;
    const array = aligned
      ? type.make(buffer, start + begin, count)
      : type.make(buffer.slice(start + begin, start + end), 0, count);
    tensors.set(name, { shape: entry.shape, array });
  }
  return tensors;
}

export function floats(tensors: Map<string, Tensor>, name: string): Float32Array {
  const array = tensors.get(name)?.array;
  return array instanceof Float32Array ? array : new Float32Array(0);
}

export function ids(tensors: Map<string, Tensor>, name: string): Uint32Array {
  const array = tensors.get(name)?.array;
  return array instanceof Uint32Array ? array : Uint32Array.from(array ?? []);
}
