// Positions of all points from what a frame brings: reduced coordinates times a basis that stays on the GPU, or
// quantised positions. A frame of a reduced body is a few kilobytes, whatever the size of the mesh.
import * as THREE from 'three';
import type { Frame } from '../net/frame';
import type { BodyInfo, Decode } from '../net/protocol';
import { floats, ids, type Tensor } from '../net/safetensors';
import { ComputePass } from './compute_pass';
import { pad_to_four, Table } from './table';

// x = rest + sum over the point's entries of columns . Q[handle], Q the 4 x 3 block of a handle: twelve numbers, three texels.
const SKINNING = /* glsl */ `
uniform usampler2DArray first, handle;
uniform sampler2DArray rest, columns, coordinates;
vec4 compute(int i) {
  int begin = int(FETCH(first, i).r), end = int(FETCH(first, i + 1).r);
  vec3 moved = vec3(0.0);
  for (int e = begin; e < end; ++e) {
    vec4 c = FETCH(columns, e);
    int h = 3 * int(FETCH(handle, e).r);
    vec4 a = FETCH(coordinates, h), b = FETCH(coordinates, h + 1), d = FETCH(coordinates, h + 2);
    moved += c.x * a.xyz + c.y * vec3(a.w, b.xy) + c.z * vec3(b.zw, d.x) + c.w * d.yzw;
  }
  return vec4(FETCH(rest, i).xyz + moved, 1.0);
}
`;

// x = rest + U q, four columns of U a texel; rows of U are padded to whole texels.
const DENSE = /* glsl */ `
uniform sampler2DArray rest, U, coordinates;
uniform int row_texels;
vec4 compute(int i) {
  vec3 moved = vec3(0.0);
  int row = 3 * i * row_texels;
  for (int j = 0; j < row_texels; ++j) {
    vec4 q = FETCH(coordinates, j);
    moved.x += dot(FETCH(U, row + j), q);
    moved.y += dot(FETCH(U, row + row_texels + j), q);
    moved.z += dot(FETCH(U, row + 2 * row_texels + j), q);
  }
  return vec4(FETCH(rest, i).xyz + moved, 1.0);
}
`;

// x = low + step * u.
const POSITIONS = /* glsl */ `
uniform usampler2DArray quantised;
uniform vec3 low, grid;
vec4 compute(int i) {
  vec3 u = vec3(FETCH(quantised, 3 * i).r, FETCH(quantised, 3 * i + 1).r, FETCH(quantised, 3 * i + 2).r);
  return vec4(low + grid * u, 1.0);
}
`;

export class Decoder {
  readonly pass: ComputePass;
  private readonly tables: Table[] = [];
  private readonly input: Table; // what changes with every frame

  private constructor(
    readonly kind: Decode,
    points: number,
    fixed: Record<string, Table>,
    input: [name: string, table: Table],
    numbers: Record<string, THREE.IUniform> = {},
  ) {
    this.input = input[1];
    this.tables = [...Object.values(fixed), this.input];
    const uniforms: Record<string, THREE.IUniform> = { ...numbers, [input[0]]: { value: this.input.texture } };
    for (const [name, table] of Object.entries(fixed)) uniforms[name] = { value: table.texture };
    this.pass = new ComputePass(points, { skinning: SKINNING, dense: DENSE, positions: POSITIONS }[kind], uniforms);
  }

  static of_body(info: BodyInfo, data: Map<string, Tensor>): Decoder {
    const rest = floats(data, 'rest');
    if (rest.length !== 3 * info.points) {
      throw new Error(`${info.name}: rest has ${rest.length / 3} points; expected ${info.points}`);
    }
    if (info.decode === 'positions') return Decoder.of_positions(info.points, rest);
    const rest_table = new Table(pad_to_four(rest), 4);
    if (info.decode === 'skinning') {
      const stored = data.get('handle')?.array;
      const handle = stored instanceof Uint16Array ? stored : Uint16Array.from(stored ?? []);
      const handles = handle.reduce((most, h) => Math.max(most, h + 1), 1);
      return new Decoder(
        'skinning',
        info.points,
        {
          rest: rest_table,
          first: new Table(ids(data, 'first'), 1),
          handle: new Table(handle, 1),
          columns: new Table(floats(data, 'columns'), 4),
        },
        ['coordinates', new Table(new Float32Array(12 * handles), 4, true)],
      );
    }
    const U = data.get('U');
    const d = U?.shape[1] ?? 0;
    const row_texels = Math.ceil(d / 4);
    return new Decoder(
      'dense',
      info.points,
      { rest: rest_table, U: new Table(pad_rows(floats(data, 'U'), d), 4) },
      ['coordinates', new Table(new Float32Array(4 * row_texels), 4, true)],
      { row_texels: { value: row_texels } },
    );
  }

  /// Quantised positions; until the first frame comes, rest (xyz a point).
  static of_positions(points: number, rest: Float32Array): Decoder {
    const { low, step, quantised } = quantise(rest.subarray(0, 3 * points));
    return new Decoder('positions', points, {}, ['quantised', new Table(quantised, 1, true)], {
      low: { value: new THREE.Vector3(...low) },
      grid: { value: new THREE.Vector3(...step) },
    });
  }

  /// Whether the frame was one that this decoder reads.
  take(frame: Frame): boolean {
    if (this.kind === 'positions') {
      if (frame.kind === 'coordinates') return false;
      (this.pass.uniforms.low.value as THREE.Vector3).set(...frame.low);
      (this.pass.uniforms.grid.value as THREE.Vector3).set(...frame.step);
      this.input.update(frame.quantised);
    } else {
      if (frame.kind !== 'coordinates') return false;
      this.input.update(frame.coordinates);
    }
    return true;
  }

  run(renderer: THREE.WebGLRenderer): void {
    this.pass.run(renderer);
  }

  dispose(): void {
    this.pass.dispose();
    for (const table of this.tables) table.dispose();
  }
}

/// Rows of d numbers as rows of whole texels of four.
export function pad_rows(rows: Float32Array, d: number): Float32Array {
  if (d % 4 === 0) return rows;
  const padded = 4 * Math.ceil(d / 4);
  const count = rows.length / d;
  const out = new Float32Array(count * padded);
  for (let r = 0; r < count; ++r) out.set(rows.subarray(r * d, (r + 1) * d), r * padded);
  return out;
}

export function quantise(xyz: Float32Array): {
  low: [number, number, number];
  step: [number, number, number];
  quantised: Uint16Array;
} {
  const low: [number, number, number] = [0, 0, 0];
  const step: [number, number, number] = [0, 0, 0];
  const quantised = new Uint16Array(xyz.length);
  for (let axis = 0; axis < 3; ++axis) {
    let least = Infinity, most = -Infinity;
    for (let i = axis; i < xyz.length; i += 3) {
      least = Math.min(least, xyz[i]);
      most = Math.max(most, xyz[i]);
    }
    if (least > most) continue;
    low[axis] = least;
    step[axis] = (most - least) / 65535;
    if (step[axis] === 0) continue;
    for (let i = axis; i < xyz.length; i += 3) quantised[i] = Math.round((xyz[i] - least) / step[axis]);
  }
  return { low, step, quantised };
}
