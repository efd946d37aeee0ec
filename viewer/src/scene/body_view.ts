// One body on the page: its data on the GPU, what is drawn of it, and what can be read back.
import * as THREE from 'three';
import { smooth_groups } from '../data/smooth_groups';
import { Decoder } from '../gpu/decoder';
import { NO_PAINT, set_colouring, surface_uniforms, type SurfaceUniforms } from '../gpu/surface_material';
import { SurfaceNormals, SurfaceRings } from '../gpu/surface_normals';
import type { Frame } from '../net/frame';
import type { BodyInfo } from '../net/protocol';
import { floats, ids, type Tensor } from '../net/safetensors';
import { DrawnSurface, make_surface_geometry } from './drawn_surface';
import { GhostView } from './ghost_view';
import { make_markers, ranks } from './markers';
import type { Palette } from './palette';

/// What the panel can switch on; the same for all bodies.
export interface ShowOptions {
  edges: boolean;
  samples: boolean;
  handles: boolean;
  held: boolean;
  strain: boolean;
  ghost_colours: boolean;
  ghost_beside: boolean;
  ghost_scale: number; // the distance that has the last colour, of the box's diagonal
}

const STRAIN_SCALE = 0.25; // the stretch that has the last colour
export const GHOST_PLACE = -1.35; // of the body's width, along x: where the ghost stands beside it

export class BodyView {
  readonly rest: Float32Array;
  readonly triangles: Uint32Array;
  readonly uniforms: SurfaceUniforms;
  readonly rings: SurfaceRings;
  readonly geometry: THREE.BufferGeometry;
  readonly group = new THREE.Group();
  private readonly decoder: Decoder;
  private readonly normals: SurfaceNormals;
  private readonly drawn: DrawnSurface;
  private readonly samples: THREE.Points;
  private readonly handles: THREE.Points;
  private readonly held: THREE.Points;
  readonly held_points: Uint32Array;
  private ghost: GhostView | null = null;
  private stale = true;
  frames = 0;
  ghost_frames = 0;
  time = 0;
  diagonal: number;
  width: number; // along x

  constructor(
    readonly info: BodyInfo,
    data: Map<string, Tensor>,
  ) {
    this.rest = floats(data, 'rest');
    this.triangles = ids(data, 'triangles');
    this.decoder = Decoder.of_body(info, data);
    this.rings = new SurfaceRings(smooth_groups(this.rest, this.triangles, info.surface), this.rest);
    this.normals = new SurfaceNormals(this.rings, this.decoder.pass.texture);
    this.uniforms = surface_uniforms(this.decoder.pass.texture, this.normals.pass.texture);
    this.geometry = make_surface_geometry(this.rings);
    this.drawn = new DrawnSurface(this.geometry, this.uniforms, {});
    const positions = this.uniforms.positions;
    const weights = ranks(floats(data, 'sample_weight'));
    this.samples = make_markers(ids(data, 'sample_point'), weights, positions, { pixels: 9, low: 0x3a6ea5, high: 0xf2a03d });
    this.handles = make_markers(ids(data, 'handle_point'), null, positions, { pixels: 11, low: 0, high: 0x7a3fa0 });
    this.held_points = ids(data, 'fixed_point');
    this.held = make_markers(this.held_points, null, positions, { pixels: 8, low: 0, high: 0xb3261e });
    this.group.add(this.drawn.group, this.samples, this.handles, this.held);
    const box = box_of(this.rest.subarray(0, 3 * info.surface));
    this.diagonal = box.min.distanceTo(box.max);
    this.width = box.max.x - box.min.x;
  }

  take(frame: Frame): void {
    if (frame.kind === 'ghost') {
      this.ghost_frames++;
      this.ghost ??= this.make_ghost();
      this.ghost.take(frame);
    } else if (this.decoder.take(frame)) {
      this.stale = true;
      this.frames++;
      this.time = frame.time;
    }
  }

  show(options: ShowOptions, ghost_on: boolean, palette: Palette, colour: number): void {
    if (!ghost_on && this.ghost) {
      this.ghost.dispose();
      this.ghost = null;
      this.uniforms.ghost_positions.value = this.uniforms.positions.value;
    }
    const compared = options.ghost_colours && this.ghost?.received === true;
    this.drawn.material.color.set(colour);
    this.uniforms.rim.value.set(palette.rim[0]).multiplyScalar(palette.rim[1]);
    set_colouring(
      this.uniforms,
      options.strain ? 'strain' : compared ? 'ghost' : 'plain',
      options.strain ? STRAIN_SCALE : options.ghost_scale * this.diagonal,
    );
    this.samples.visible = options.samples;
    this.handles.visible = options.handles;
    this.held.visible = options.held;
    this.drawn.set_opacity(options.samples || options.handles ? 0.38 : 1);
    this.drawn.show_edges(options.edges, palette.edges);
    if (this.ghost) {
      this.ghost.drawn.material.color.set(palette.ghost);
      this.ghost.place(options.ghost_beside ? GHOST_PLACE * this.width : 0);
    }
  }

  get has_ghost(): boolean {
    return this.ghost?.received === true;
  }

  /// A colour for each point (four bytes, as many as `paint_size` asks for), or none.
  set_paint(colours: Uint8Array | null): void {
    if (this.uniforms.paint.value !== NO_PAINT) this.uniforms.paint.value?.dispose();
    if (!colours) {
      this.uniforms.paint.value = NO_PAINT;
      return;
    }
    const { width, height } = this.paint_size;
    const texture = new THREE.DataTexture(colours, width, height);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.needsUpdate = true;
    this.uniforms.paint.value = texture;
  }

  get paint_size(): { width: number; height: number } {
    return { width: this.decoder.pass.target.width, height: this.decoder.pass.target.height };
  }

  /// Decodes what came since the last time.
  run(renderer: THREE.WebGLRenderer): void {
    this.ghost?.run(renderer);
    if (!this.stale) return;
    this.stale = false;
    this.decoder.run(renderer);
    this.normals.run(renderer);
  }

  /// Three numbers a decoded point, as the GPU has them.
  read_positions(renderer: THREE.WebGLRenderer): Float32Array {
    this.run(renderer);
    return drop_fourth(this.decoder.pass.read(renderer));
  }

  read_ghost_positions(renderer: THREE.WebGLRenderer): Float32Array | null {
    if (!this.ghost) return null;
    this.ghost.run(renderer);
    return drop_fourth(this.ghost.decoder.pass.read(renderer));
  }

  /// Four numbers a drawn vertex: its normal, and the stretch around it.
  read_normals(renderer: THREE.WebGLRenderer): Float32Array {
    this.run(renderer);
    return this.normals.pass.read(renderer).slice();
  }

  dispose(): void {
    this.group.removeFromParent();
    this.ghost?.dispose();
    this.set_paint(null);
    for (const dots of [this.samples, this.handles, this.held]) {
      dots.geometry.dispose();
      (dots.material as THREE.Material).dispose();
    }
    this.drawn.dispose();
    this.geometry.dispose();
    this.normals.dispose();
    this.rings.dispose();
    this.decoder.dispose();
  }

  private make_ghost(): GhostView {
    const ghost = new GhostView(this.geometry, this.rings, this.rest, this.info.surface);
    this.uniforms.ghost_positions.value = ghost.decoder.pass.texture;
    this.group.add(ghost.drawn.group);
    return ghost;
  }
}

function box_of(xyz: Float32Array): THREE.Box3 {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (let i = 0; i + 2 < xyz.length; i += 3) box.expandByPoint(at.set(xyz[i], xyz[i + 1], xyz[i + 2]));
  return box;
}

function drop_fourth(values: Float32Array): Float32Array {
  const out = new Float32Array((values.length / 4) * 3);
  for (let i = 0, j = 0; i < values.length; i += 4, j += 3) {
    out[j] = values[i];
    out[j + 1] = values[i + 1];
    out[j + 2] = values[i + 2];
  }
  return out;
}
