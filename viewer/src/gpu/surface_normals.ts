// Normals of the drawn vertices from the decoded positions, and how much the edges around each are stretched.
import type * as THREE from 'three';
import type { DrawnSurface } from '../data/smooth_groups';
import { ComputePass } from './compute_pass';
import { pad_to_four, Table } from './table';

// The cross products are twice the triangles' areas: large triangles count more, and slivers do no harm.
const NORMALS = /* glsl */ `
uniform sampler2D positions;
uniform sampler2DArray rest;
uniform usampler2DArray point, ring_first, ring;
vec4 compute(int i) {
  int self = int(FETCH(point, i).r);
  vec3 x = result_at(positions, self).xyz, X = FETCH(rest, self).xyz;
  vec3 normal = vec3(0.0);
  float length_now = 0.0, length_at_rest = 0.0;
  int begin = int(FETCH(ring_first, i).r), end = int(FETCH(ring_first, i + 1).r);
  for (int e = begin; e < end; ++e) {
    ivec2 others = ivec2(FETCH(ring, e).rg);
    vec3 a = result_at(positions, others.x).xyz - x, b = result_at(positions, others.y).xyz - x;
    normal += cross(a, b);
    length_now += length(a) + length(b);
    length_at_rest += length(FETCH(rest, others.x).xyz - X) + length(FETCH(rest, others.y).xyz - X);
  }
  float size = length(normal);
  float stretch = length_at_rest > 0.0 ? length_now / length_at_rest - 1.0 : 0.0;
  return vec4(size > 0.0 ? normal / size : vec3(0.0, 1.0, 0.0), stretch);
}
`;

/// The part that does not change: shared by a body and its ghost.
export class SurfaceRings {
  readonly rest: Table;
  readonly point: Table;
  readonly ring_first: Table;
  readonly ring: Table;

  constructor(
    readonly surface: DrawnSurface,
    rest: Float32Array,
  ) {
    this.rest = new Table(pad_to_four(rest), 4);
    this.point = new Table(surface.point, 1, true); // the attribute of the drawn vertices has the same array
    this.ring_first = new Table(surface.ring_first, 1);
    this.ring = new Table(surface.ring, 2);
  }

  dispose(): void {
    for (const table of [this.rest, this.point, this.ring_first, this.ring]) table.dispose();
  }
}

export class SurfaceNormals {
  readonly pass: ComputePass;

  constructor(rings: SurfaceRings, positions: THREE.Texture) {
    this.pass = new ComputePass(rings.surface.vertices, NORMALS, {
      positions: { value: positions },
      rest: { value: rings.rest.texture },
      point: { value: rings.point.texture },
      ring_first: { value: rings.ring_first.texture },
      ring: { value: rings.ring.texture },
    });
  }

  run(renderer: THREE.WebGLRenderer): void {
    this.pass.run(renderer);
  }

  dispose(): void {
    this.pass.dispose();
  }
}
