// What bodies meet: the floor and a sphere that can be moved.
import type { App, Part } from '../../app';
import type { SphereState, StateMessage } from '../../net/protocol';
import { hint, numbers, section, slider, toggle } from '../widgets';

export function make_world_section(app: App): Part & { element: HTMLElement } {
  const floor_on = toggle({
    key: 'floor',
    label: 'Floor',
    change: (on) => app.set({ floor: { on, height: app.state?.floor.height ?? 0 } }),
  });
  const floor_height = numbers({
    key: 'floor_height',
    label: 'height',
    names: ['y'],
    change: ([height]) => app.set({ floor: { on: app.state?.floor.on ?? true, height } }),
  });
  const change_sphere = (change: Partial<SphereState>) => {
    if (app.state) app.set({ sphere: { ...app.state.sphere, ...change } });
  };
  const sphere_on = toggle({ key: 'sphere', label: 'Sphere', change: (on) => change_sphere({ on }) });
  const centre = numbers({
    key: 'sphere_center',
    label: 'centre',
    names: ['x', 'y', 'z'],
    change: ([x, y, z]) => change_sphere({ center: [x, y, z] }),
  });
  const radius = numbers({
    key: 'sphere_radius',
    label: 'radius',
    names: ['r'],
    change: ([value]) => change_sphere({ radius: value }),
  });
  const drag = hint('Drag the sphere in the picture to move it.');
  const others = hint('');
  const nudge = slider({
    key: 'floor_slider',
    label: 'Raise the floor',
    unit: 'of the box',
    minimum: -1,
    maximum: 1,
    change: (part) => {
      const box = app.scene?.box;
      if (box) app.set({ floor: { on: app.state?.floor.on ?? true, height: box[0][1] + part * (box[1][1] - box[0][1]) } });
    },
  });
  return {
    element: section(
      'world', 'World', false,
      floor_on.element, nudge.element, floor_height.element, sphere_on.element, centre.element, radius.element, drag, others,
    ),
    state(state: StateMessage) {
      floor_on.set(state.floor.on);
      floor_height.set([state.floor.height]);
      floor_height.element.hidden = nudge.element.hidden = !state.floor.on;
      const box = app.scene?.box;
      if (box) nudge.set((state.floor.height - box[0][1]) / Math.max(box[1][1] - box[0][1], 1e-9));
      sphere_on.set(state.sphere.on);
      centre.set(state.sphere.center);
      radius.set([state.sphere.radius]);
      centre.element.hidden = radius.element.hidden = drag.hidden = !state.sphere.on;
      others.hidden = state.obstacles === 0;
      others.textContent = `The scene has ${state.obstacles === 1 ? 'one more obstacle' : `${state.obstacles} more obstacles`}.`;
    },
  };
}
