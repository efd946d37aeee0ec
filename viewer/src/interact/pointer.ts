// What the pointer does in the picture: pulls bodies, moves the sphere; elsewhere the view turns (OrbitControls).
import * as THREE from 'three';
import type { ClientMessage, SphereState, Vec3 } from '../net/protocol';
import type { Bodies } from '../scene/bodies';
import { PullLine } from '../scene/pull_line';
import type { SphereView } from '../scene/sphere_view';
import type { Stage } from '../scene/stage';

const MOUSE_RADIUS = 2; // pixels around the cursor that still hit
const FINGER_RADIUS = 12;

interface Grip {
  plane: THREE.Plane; // through what was taken, facing the camera
  offset: THREE.Vector3; // from the cursor to what is moved: it does not jump when taken
  target: THREE.Vector3;
  changed: boolean;
  body: number; // -1: the sphere
  point: number;
  line: PullLine | null;
}

export interface PointerHooks {
  send(message: ClientMessage): void;
  sphere(): SphereState | null;
  move_sphere(center: Vec3): void;
  /// A tool that takes the whole pointer while it is on (painting, boxes); true: taken.
  tool(event: PointerEvent): boolean;
  may_pull(): boolean;
}

export class PointerActions {
  readonly grips = new Map<number, Grip>(); // by pointer id
  private readonly fingers = new Map<number, PointerEvent>(); // on the picture, with the last that was heard of them
  private handing_over = false;

  constructor(
    private readonly stage: Stage,
    private readonly bodies: Bodies,
    private readonly sphere: SphereView,
    private readonly hooks: PointerHooks,
  ) {
    const { canvas } = stage;
    // Capturing: before OrbitControls, which then leaves this pointer alone.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(end, (event) => this.up(event), { capture: true });
    }
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    stage.before_drawing.push(() => this.update());
  }

  get drags_sphere(): boolean {
    return [...this.grips.values()].some((grip) => grip.body < 0);
  }

  /// Lets everything go: the scene was replaced, or someone else drives. The server has done so already.
  release_all(): void {
    for (const id of [...this.grips.keys()]) this.release(id, false);
  }

  private down(event: PointerEvent): void {
    if (this.handing_over || event.button === 1 || this.grips.has(event.pointerId)) return;
    if (event.pointerType === 'touch') {
      const first = [...this.fingers.values()];
      this.fingers.set(event.pointerId, event);
      if (first.length > 0) {
        this.hand_over(first);
        return;
      }
    }
    if (this.hooks.tool(event)) {
      event.preventDefault();
      return;
    }
    const { x, y } = this.place(event);
    const radius = event.pointerType === 'touch' ? FINGER_RADIUS : MOUSE_RADIUS;
    const hit = this.hooks.may_pull() ? this.bodies.pick(x, y, radius) : null;
    const sphere_distance = this.sphere.hit(this.stage.ray(x, y));
    if (sphere_distance !== null && (!hit || sphere_distance < hit.distance)) {
      const ray = this.stage.ray(x, y);
      const centre = new THREE.Vector3(...this.hooks.sphere()!.center);
      this.take(event, { body: -1, point: 0, taken: ray.at(sphere_distance, new THREE.Vector3()), moved: centre });
    } else if (hit) {
      this.take(event, { body: hit.body, point: hit.point, taken: hit.place, moved: hit.place });
    }
  }

  /// Two fingers zoom: what the first one pulled is let go, and OrbitControls hears of it as if it came only now.
  private hand_over(fingers: PointerEvent[]): void {
    this.handing_over = true;
    for (const finger of fingers) {
      if (!this.grips.has(finger.pointerId)) continue; // it turns the view already
      this.release(finger.pointerId);
      const { pointerId, pointerType, clientX, clientY } = finger;
      this.stage.canvas.dispatchEvent(new PointerEvent('pointerdown', { pointerId, pointerType, clientX, clientY, isPrimary: true }));
    }
    this.handing_over = false;
  }

  private take(
    event: PointerEvent,
    what: { body: number; point: number; taken: THREE.Vector3; moved: THREE.Vector3 },
  ): void {
    const { x, y } = this.place(event);
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, what.taken);
    const cursor = this.stage.ray(x, y).intersectPlane(plane, new THREE.Vector3()) ?? what.taken;
    const line = what.body >= 0 ? new PullLine() : null;
    this.grips.set(event.pointerId, {
      plane,
      offset: what.moved.clone().sub(cursor),
      target: what.moved.clone(),
      changed: true,
      body: what.body,
      point: what.point,
      line,
    });
    if (line) this.stage.scene.add(line.mesh);
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add('pulling');
    this.stage.invalidate();
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, event);
    const grip = this.grips.get(event.pointerId);
    if (!grip) return;
    const { x, y } = this.place(event);
    const cursor = this.stage.ray(x, y).intersectPlane(grip.plane, new THREE.Vector3());
    if (!cursor) return;
    grip.target.copy(cursor).add(grip.offset);
    grip.changed = true;
    this.stage.invalidate();
  }

  private up(event: PointerEvent): void {
    if (event.type !== 'lostpointercapture') this.fingers.delete(event.pointerId);
    if (this.grips.has(event.pointerId)) this.release(event.pointerId);
  }

  private release(id: number, tell = true): void {
    const grip = this.grips.get(id)!;
    this.grips.delete(id);
    grip.line?.dispose();
    if (grip.body >= 0 && tell) this.hooks.send({ type: 'release', id });
    if (this.grips.size === 0) {
      this.stage.controls.enabled = true;
      this.stage.canvas.classList.remove('pulling');
    }
    this.stage.invalidate();
  }

  /// Once a picture: at most as many messages as pictures, however fast the mouse reports.
  private update(): void {
    const { canvas, palette } = this.stage;
    const window_size = new THREE.Vector2(canvas.clientWidth, canvas.clientHeight);
    for (const [id, grip] of this.grips) {
      const target = grip.target.toArray();
      if (grip.body < 0) {
        if (grip.changed) this.hooks.move_sphere(target);
      } else {
        const view = this.bodies.views[grip.body];
        if (!view) continue;
        grip.line!.set(view.uniforms.positions.value, grip.point, grip.target, palette.line, window_size);
        if (grip.changed) this.hooks.send({ type: 'pull', body: grip.body, point: grip.point, target, id });
      }
      grip.changed = false;
    }
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
