// The bodies of the scene. A new scene is fetched beside the old one, which stays on the page until the new one is whole.
import * as THREE from 'three';
import { Picker, type Hit } from '../gpu/picker';
import type { Frame } from '../net/frame';
import type { SceneMessage } from '../net/protocol';
import { read_safetensors } from '../net/safetensors';
import { BodyView, type ShowOptions } from './body_view';
import type { Stage } from './stage';

export class Bodies {
  views: BodyView[] = [];
  version = -1;
  show: ShowOptions = {
    edges: false,
    samples: false,
    handles: false,
    held: false,
    strain: false,
    ghost_colours: true,
    ghost_beside: false,
    ghost_scale: 0.03,
  };
  ghost_on = false;
  frames = 0; // taken since the page was opened
  private readonly picker = new Picker();
  private readonly group = new THREE.Group();
  private wanted = -1; // version that is being fetched
  private early: Frame[] = []; // frames of that version

  constructor(private readonly stage: Stage) {
    stage.scene.add(this.group);
    stage.before_drawing.push(() => this.run());
  }

  /// Resolves to whether this scene is now the one that is shown; another one may have come in between.
  async load(scene: SceneMessage): Promise<boolean> {
    this.wanted = scene.version;
    this.early = [];
    const blobs = await Promise.all(scene.bodies.map((body) => fetch_data(body.data)));
    if (this.wanted !== scene.version) return false;
    const views = scene.bodies.map((body, b) => new BodyView(body, read_safetensors(blobs[b])));

    for (const view of this.views) view.dispose();
    this.picker.clear();
    this.views = views;
    this.version = scene.version;
    views.forEach((view, b) => {
      this.group.add(view.group);
      this.picker.add(b, view.geometry, view.rings, view.uniforms);
    });
    this.picker.warm_up(this.stage.renderer);
    for (const frame of this.early) this.take(frame);
    this.early = [];
    this.restyle();
    return true;
  }

  take(frame: Frame): void {
    if (frame.version !== this.version) {
      if (frame.version === this.wanted) {
        this.early = this.early.filter((f) => f.body !== frame.body || f.kind !== frame.kind);
        this.early.push(frame);
      }
      return;
    }
    const view = this.views[frame.body];
    if (!view) return;
    if (frame.kind === 'ghost' && !this.ghost_on) return;
    const had_ghost = view.has_ghost;
    view.take(frame);
    this.frames++;
    if (view.has_ghost !== had_ghost) this.restyle();
    this.stage.invalidate();
  }

  /// After a change of what is shown, of the theme or of the ghost.
  restyle(): void {
    const { palette } = this.stage;
    this.views.forEach((view, b) => view.show(this.show, this.ghost_on, palette, palette.bodies[b % palette.bodies.length]));
    this.stage.invalidate();
  }

  pick(x: number, y: number, radius: number): Hit | null {
    this.run();
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    return this.picker.pick(this.stage.renderer, this.stage.camera, { x, y, width, height }, radius);
  }

  private run(): void {
    for (const view of this.views) view.run(this.stage.renderer);
  }
}

async function fetch_data(address: string): Promise<ArrayBuffer> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: the server answered ${answer.status}; expected the body's data`);
  return answer.arrayBuffer();
}
