// The edit mode in the picture: painting or boxing regions, moving the chosen one with a gizmo.
import * as THREE from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { App, Part } from '../app';
import type { StateMessage, Vec3 } from '../net/protocol';
import type { BodyView } from '../scene/body_view';
import { add_points, as_handles, points_in_box, points_near, region_centre, remove_points, type Region } from './edit_regions';

export type EditTool = 'paint' | 'box' | 'move' | 'turn';

export const REGION_COLOURS = [0x3a6ea5, 0xe0a63f, 0x6f9a58, 0x9a5fb0, 0xc4476b, 0x2f9c95];
const BRUSH_PIXELS = 16;

export class EditMode implements Part {
  tool: EditTool = 'paint';
  regions: Region[] = [];
  chosen = -1;
  on = false;
  /// The panel's list is made anew.
  changed: () => void = () => {};
  private readonly gizmo: TransformControls;
  private readonly handle = new THREE.Object3D();
  private readonly rectangle: HTMLElement;
  private moved = false; // by the gizmo, not yet sent

  constructor(private readonly app: App) {
    const { stage } = app;
    this.rectangle = document.createElement('div');
    this.rectangle.className = 'rectangle';
    stage.canvas.parentElement!.append(this.rectangle);
    this.gizmo = new TransformControls(stage.camera, stage.canvas);
    this.gizmo.setSize(0.9);
    stage.scene.add(this.handle, this.gizmo.getHelper());
    this.gizmo.addEventListener('change', () => stage.invalidate());
    this.gizmo.addEventListener('dragging-changed', (event) => (stage.controls.enabled = event.value !== true));
    this.gizmo.addEventListener('objectChange', () => this.take_gizmo());
    stage.before_drawing.push(() => this.send_moved());
    this.show_gizmo();
  }

  // === What the panel asks for

  set_on(on: boolean): void {
    this.app.send({ type: 'edit', on, body: this.app.body });
  }

  set_tool(tool: EditTool): void {
    this.tool = tool;
    this.show();
  }

  choose(region: number): void {
    this.chosen = region;
    this.show();
  }

  remove(region: number): void {
    this.regions.splice(region, 1);
    this.chosen = Math.min(this.chosen, this.regions.length - 1);
    this.send_all();
  }

  clear(): void {
    this.regions = [];
    this.chosen = -1;
    this.send_all();
  }

  /// By numbers, as the gizmo does by hand.
  transform(region: number, translation: Vec3, rotation: Vec3): void {
    Object.assign(this.regions[region], { translation, rotation });
    this.app.send({ type: 'edit_move', handle: region, translation, rotation });
    this.show();
  }

  // === What the server says

  state(state: StateMessage): void {
    const on = state.edit !== null;
    if (on === this.on) return;
    this.on = on;
    this.regions = [];
    this.chosen = -1;
    this.tool = 'paint';
    this.show();
  }

  scene(): void {
    this.regions = [];
    this.chosen = -1;
    this.show();
  }

  // === The pointer

  /// Takes the pointer where painting or boxing is on; true: taken.
  pointer_down(event: PointerEvent): boolean {
    if (!this.on || (this.tool !== 'paint' && this.tool !== 'box') || event.button !== 0) return false;
    const view = this.view;
    if (!view) return false;
    const { canvas, controls, renderer } = this.app.stage;
    const begin = this.place(event);
    // A stroke that does not begin on the body turns the view.
    if (this.tool === 'paint' && this.app.bodies.pick(begin.x, begin.y, BRUSH_PIXELS)?.body !== this.app.body) return false;
    const positions = view.read_positions(renderer);
    const erase = event.altKey;
    if (this.chosen < 0) {
      this.regions.push({ points: new Set(), translation: [0, 0, 0], rotation: [0, 0, 0] });
      this.chosen = this.regions.length - 1;
    }
    const act = (points: number[]) => {
      if (erase) remove_points(this.regions, this.chosen, points);
      else add_points(this.regions, this.chosen, points);
      this.paint();
    };
    const move = (at: { x: number; y: number }) => {
      if (this.tool === 'paint') act(this.under_brush(positions, at.x, at.y));
      else this.draw_rectangle(begin, at);
    };
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    move(begin);
    const on_move = (e: PointerEvent) => {
      if (e.pointerId === event.pointerId) move(this.place(e));
    };
    const on_up = (e: PointerEvent) => {
      if (e.pointerId !== event.pointerId) return;
      canvas.removeEventListener('pointermove', on_move);
      canvas.removeEventListener('pointerup', on_up);
      canvas.removeEventListener('pointercancel', on_up);
      controls.enabled = true;
      if (this.tool === 'box') {
        this.rectangle.style.display = 'none';
        act(this.inside_rectangle(positions, begin, this.place(e)));
      }
      this.regions = this.regions.filter((region) => region.points.size > 0);
      this.chosen = Math.min(this.chosen, this.regions.length - 1);
      this.send_all();
    };
    canvas.addEventListener('pointermove', on_move);
    canvas.addEventListener('pointerup', on_up);
    canvas.addEventListener('pointercancel', on_up);
    return true;
  }

  private under_brush(positions: Float32Array, x: number, y: number): number[] {
    const hit = this.app.bodies.pick(x, y, 1);
    if (!hit || hit.body !== this.app.body) return [];
    const { camera, canvas } = this.app.stage;
    const height = 2 * hit.distance * Math.tan((camera.fov * Math.PI) / 360); // metres that the window shows there
    const radius = (BRUSH_PIXELS / canvas.clientHeight) * height;
    return [hit.point, ...points_near(positions, this.view!.info.surface, hit.place.toArray(), radius)];
  }

  private inside_rectangle(positions: Float32Array, a: { x: number; y: number }, b: { x: number; y: number }): number[] {
    const { camera, canvas } = this.app.stage;
    const across = (x: number) => (2 * x) / canvas.clientWidth - 1;
    const up = (y: number) => 1 - (2 * y) / canvas.clientHeight;
    camera.updateMatrixWorld();
    const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    return points_in_box(positions, this.view!.info.surface, matrix.elements, {
      left: across(Math.min(a.x, b.x)),
      right: across(Math.max(a.x, b.x)),
      bottom: up(Math.max(a.y, b.y)),
      top: up(Math.min(a.y, b.y)),
    });
  }

  private draw_rectangle(a: { x: number; y: number }, b: { x: number; y: number }): void {
    Object.assign(this.rectangle.style, {
      display: 'block',
      left: `${Math.min(a.x, b.x)}px`,
      top: `${Math.min(a.y, b.y)}px`,
      width: `${Math.abs(a.x - b.x)}px`,
      height: `${Math.abs(a.y - b.y)}px`,
    });
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const box = this.app.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // === The gizmo

  private take_gizmo(): void {
    const region = this.regions[this.chosen];
    const view = this.view;
    if (!region || !view) return;
    const centre = region_centre(region, view.rest);
    region.translation = this.handle.position.clone().sub(new THREE.Vector3(...centre)).toArray();
    region.rotation = rotation_vector(this.handle.quaternion);
    this.moved = true;
    this.app.stage.invalidate();
  }

  private send_moved(): void {
    const region = this.regions[this.chosen];
    if (!this.moved || !region) return;
    this.moved = false;
    this.app.send({ type: 'edit_move', handle: this.chosen, translation: region.translation, rotation: region.rotation });
    this.changed();
  }

  private show_gizmo(): void {
    const region = this.regions[this.chosen];
    const view = this.view;
    const shown = this.on && region !== undefined && view !== undefined && (this.tool === 'move' || this.tool === 'turn');
    this.gizmo.enabled = shown;
    if (!shown) {
      this.gizmo.detach();
      return;
    }
    const centre = region_centre(region, view.rest);
    this.handle.position.set(...centre).add(new THREE.Vector3(...region.translation));
    this.handle.quaternion.copy(quaternion_of(region.rotation));
    this.gizmo.setMode(this.tool === 'turn' ? 'rotate' : 'translate');
    if (this.gizmo.object !== this.handle) this.gizmo.attach(this.handle);
  }

  // === Showing

  private get view(): BodyView | undefined {
    return this.app.bodies.views[this.app.body];
  }

  private send_all(): void {
    this.app.send({ type: 'edit_handles', handles: as_handles(this.regions) });
    this.show();
  }

  private show(): void {
    if (!this.gizmo.dragging) this.show_gizmo();
    this.paint();
    this.changed();
  }

  private paint(): void {
    const view = this.view;
    if (!view) return;
    if (this.on && this.regions.length > 0) {
      const { width, height } = view.paint_size;
      const colours = new Uint8Array(4 * width * height);
      this.regions.forEach((region, r) => {
        const colour = REGION_COLOURS[r % REGION_COLOURS.length];
        for (const p of region.points) {
          colours.set([colour >> 16, (colour >> 8) & 255, colour & 255, r === this.chosen ? 255 : 170], 4 * p);
        }
      });
      view.set_paint(colours);
    } else {
      view.set_paint(null);
    }
    this.app.stage.invalidate();
  }
}

export function rotation_vector(q: THREE.Quaternion): Vec3 {
  const turned = q.w < 0 ? new THREE.Quaternion(-q.x, -q.y, -q.z, -q.w) : q;
  const sine = Math.hypot(turned.x, turned.y, turned.z);
  const angle = 2 * Math.atan2(sine, turned.w);
  const scale = sine > 1e-12 ? angle / sine : 2;
  return [turned.x * scale, turned.y * scale, turned.z * scale];
}

export function quaternion_of(rotation: Vec3): THREE.Quaternion {
  const axis = new THREE.Vector3(...rotation);
  const angle = axis.length();
  return angle > 0 ? new THREE.Quaternion().setFromAxisAngle(axis.divideScalar(angle), angle) : new THREE.Quaternion();
}
