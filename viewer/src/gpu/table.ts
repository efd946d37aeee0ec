// A long list of numbers on the GPU: a texture of layers, read by index. Layers, since neither side of a texture may be
// longer than the GPU's limit, and a dense basis has tens of millions of texels.
import * as THREE from 'three';

export type TableArray = Float32Array | Uint32Array | Uint16Array;
export type Channels = 1 | 2 | 4;

const WIDTH = 1024;
const LARGEST_HEIGHT = 2048;

export interface TableShape {
  width: number;
  height: number;
  layers: number;
}

export function table_shape(texels: number): TableShape {
  const width = Math.max(1, Math.min(WIDTH, texels));
  const rows = Math.max(1, Math.ceil(texels / width));
  const layers = Math.ceil(rows / LARGEST_HEIGHT);
  return { width, height: Math.ceil(rows / layers), layers };
}

/// How shaders read it: fetch_at(index, textureSize) is the place of texel `index`.
export const TABLE_GLSL = /* glsl */ `
ivec3 fetch_at(int i, ivec3 size) {
  int row = i / size.x;
  int layer = row / size.y;
  return ivec3(i - row * size.x, row - layer * size.y, layer);
}
#define FETCH(table, i) texelFetch(table, fetch_at(i, textureSize(table, 0)), 0)
`;

export class Table {
  readonly texture: THREE.DataArrayTexture;
  private readonly array: TableArray;

  /// changes: kept on this side too, for update(); otherwise only the GPU keeps it.
  constructor(data: TableArray, channels: Channels, changes = false) {
    const { width, height, layers } = table_shape(data.length / channels);
    const length = width * height * layers * channels;
    if (data.length === length && !changes) {
      this.array = data;
    } else {
      this.array = new (data.constructor as new (n: number) => TableArray)(length);
      this.array.set(data);
    }
    this.texture = new THREE.DataArrayTexture(this.array, width, height, layers);
    const [format, type, internal] = pixel_format(data, channels);
    this.texture.format = format;
    this.texture.type = type;
    this.texture.internalFormat = internal;
    this.texture.minFilter = this.texture.magFilter = THREE.NearestFilter;
    this.texture.unpackAlignment = 1;
    this.texture.needsUpdate = true;
    if (!changes) {
      this.texture.onUpdate = () => {
        (this.texture.image as { data: unknown }).data = null;
      };
    }
  }

  /// Overwrites from the beginning; longer data than the table was made for is cut.
  update(data: TableArray): void {
    this.array.set(data.length > this.array.length ? data.subarray(0, this.array.length) : data);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}

/// Three numbers a point as four: GPUs have no renderable nor well-kept formats of three.
export function pad_to_four(xyz: Float32Array): Float32Array {
  const count = xyz.length / 3;
  const out = new Float32Array(4 * count);
  for (let i = 0; i < count; ++i) {
    out[4 * i] = xyz[3 * i];
    out[4 * i + 1] = xyz[3 * i + 1];
    out[4 * i + 2] = xyz[3 * i + 2];
  }
  return out;
}

function pixel_format(
  data: TableArray,
  channels: Channels,
): [THREE.PixelFormat, THREE.TextureDataType, THREE.PixelFormatGPU] {
  if (data instanceof Float32Array) {
    if (channels === 4) return [THREE.RGBAFormat, THREE.FloatType, 'RGBA32F'];
    if (channels === 2) return [THREE.RGFormat, THREE.FloatType, 'RG32F'];
    return [THREE.RedFormat, THREE.FloatType, 'R32F'];
  }
  const type = data instanceof Uint32Array ? THREE.UnsignedIntType : THREE.UnsignedShortType;
  const bits = data instanceof Uint32Array ? '32' : '16';
  if (channels === 4) return [THREE.RGBAIntegerFormat, type, `RGBA${bits}UI` as THREE.PixelFormatGPU];
  if (channels === 2) return [THREE.RGIntegerFormat, type, `RG${bits}UI` as THREE.PixelFormatGPU];
  return [THREE.RedIntegerFormat, type, `R${bits}UI` as THREE.PixelFormatGPU];
}
