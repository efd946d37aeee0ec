// window.pliant: what tests and the curious read. Nothing on the page depends on it.
import * as THREE from 'three';
import type { App } from './app';
import type { EditMode } from './interact/edit_mode';
import type { PointerActions } from './interact/pointer';
import type { PositionsMessage } from './net/protocol';

export function expose(app: App, pointer: PointerActions, edit: EditMode) {
  const waiting: ((message: PositionsMessage) => void)[] = [];
  const { stage, bodies } = app;
  const api = {
    app,
    stage,
    edit,
    get state() { return app.state; },
    get scene() { return app.scene; },
    get stats() { return app.stats; },
    get errors() { return app.errors; },
    get connected() { return app.connected; },
    get driver() { return app.driver; },
    get clients() { return app.clients; },
    get frames() { return bodies.frames; },
    get drawn() { return stage.frames_drawn; },
    get version() { return bodies.version; },
    get pulls() { return pointer.grips.size; },
    get show() { return bodies.show; },
    body: (b: number) => {
      const view = bodies.views[b];
      return view && { frames: view.frames, ghost_frames: view.ghost_frames, time: view.time, has_ghost: view.has_ghost, surface: view.info.surface };
    },
    readPositions: (b: number) => Array.from(bodies.views[b].read_positions(stage.renderer)),
    readGhostPositions: (b: number) => Array.from(bodies.views[b].read_ghost_positions(stage.renderer) ?? []),
    readNormals: (b: number) => Array.from(bodies.views[b].read_normals(stage.renderer)),
    rest: (b: number) => Array.from(bodies.views[b].rest),
    heldPoints: (b: number) => Array.from(bodies.views[b].held_points),
    surface: (b: number) => {
      const { point, index, ring_first, ring } = bodies.views[b].rings.surface;
      return { point: Array.from(point), index: Array.from(index), ring_first: Array.from(ring_first), ring: Array.from(ring) };
    },
    /// Pixels of the window.
    project: (place: [number, number, number]) => {
      const at = stage.project(new THREE.Vector3(...place));
      const box = stage.canvas.getBoundingClientRect();
      return { x: at.x + box.left, y: at.y + box.top };
    },
    pick: (x: number, y: number) => {
      const hit = bodies.pick(x, y, 2);
      return hit && { body: hit.body, point: hit.point, place: hit.place.toArray(), distance: hit.distance };
    },
    /// The server's own positions of decoded points.
    serverPositions: (body: number, points: number[]) =>
      new Promise<PositionsMessage>((resolve) => {
        waiting.push(resolve);
        app.send({ type: 'positions', body, points });
      }),
    answered: (message: PositionsMessage) => waiting.shift()?.(message),
    /// Mean brightness and colour of what is drawn: 0 to 255 each.
    meanColour: () => {
      stage.draw();
      const small = document.createElement('canvas');
      small.width = small.height = 32;
      const draw = small.getContext('2d')!;
      draw.drawImage(stage.canvas, 0, 0, 32, 32);
      const bytes = draw.getImageData(0, 0, 32, 32).data;
      const sum = [0, 0, 0];
      bytes.forEach((value, i) => { if (i % 4 < 3) sum[i % 4] += value / 1024; });
      return sum;
    },
  };
  (window as unknown as { pliant: typeof api }).pliant = api;
  return api;
}
