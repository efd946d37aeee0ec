// The full simulation of the same body, drawn translucent over the reduced one or beside it.
import * as THREE from 'three';
import { Decoder } from '../gpu/decoder';
import { SurfaceNormals, type SurfaceRings } from '../gpu/surface_normals';
import { surface_uniforms } from '../gpu/surface_material';
import type { Frame } from '../net/frame';
import { DrawnSurface } from './drawn_surface';

export class GhostView {
  readonly decoder: Decoder;
  private readonly normals: SurfaceNormals;
  readonly drawn: DrawnSurface;
  private stale = true;
  received = false; // nothing is shown before the first frame

  constructor(geometry: THREE.BufferGeometry, rings: SurfaceRings, rest: Float32Array, surface: number) {
    this.decoder = Decoder.of_positions(surface, rest);
    this.normals = new SurfaceNormals(rings, this.decoder.pass.texture);
    const uniforms = surface_uniforms(this.decoder.pass.texture, this.normals.pass.texture);
    this.drawn = new DrawnSurface(geometry, uniforms, { roughness: 0.8 });
    this.drawn.group.visible = false;
  }

  take(frame: Frame): void {
    if (!this.decoder.take(frame)) return;
    this.stale = this.received = true;
  }

  /// beside: metres along x, 0 for over.
  place(beside: number): void {
    this.drawn.group.position.x = beside;
    this.drawn.group.visible = this.received;
    this.drawn.set_opacity(beside === 0 ? 0.34 : 1);
    this.drawn.cast_shadow(beside !== 0);
  }

  run(renderer: THREE.WebGLRenderer): void {
    if (!this.stale) return;
    this.stale = false;
    this.decoder.run(renderer);
    this.normals.run(renderer);
  }

  dispose(): void {
    this.drawn.group.removeFromParent();
    this.drawn.dispose();
    this.normals.dispose();
    this.decoder.dispose();
  }
}
