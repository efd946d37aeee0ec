// What changes while it runs: stiffness, volume, gravity, damping, time.
import type { App, Part } from '../../app';
import type { StateMessage } from '../../net/protocol';
import { numbers, section, segments, slider } from '../widgets';

export function make_motion_section(app: App): Part & { element: HTMLElement } {
  const stiffness = slider({
    key: 'stiffness',
    label: 'Stiffness',
    unit: '×',
    minimum: 0.01,
    maximum: 100,
    logarithmic: true,
    hint: 'Times the stiffness that the body was made with',
    change: (value) => app.set({ stiffness: value }),
  });
  const volume = slider({
    key: 'volume',
    label: 'Volume',
    unit: '×',
    minimum: 0.25,
    maximum: 4,
    logarithmic: true,
    hint: 'Times the volume at rest',
    change: (value) => app.set({ volume: value }),
  });
  const gravity = slider({
    key: 'gravity',
    label: 'Gravity',
    unit: 'm/s²',
    minimum: -20,
    maximum: 20,
    hint: 'Downwards',
    change: (value) => {
      const [x, , z] = app.state?.gravity ?? [0, 0, 0];
      app.set({ gravity: [x, value === 0 ? 0 : -value, z] });
    },
  });
  const direction = numbers({
    key: 'gravity_vector',
    label: 'as a vector',
    names: ['x', 'y', 'z'],
    change: ([x, y, z]) => app.set({ gravity: [x, y, z] }),
  });
  const damping = slider({
    key: 'damping',
    label: 'Damping',
    unit: '1/s',
    minimum: 0,
    maximum: 10,
    hint: 'Velocities fade as exp(-damping t)',
    change: (value) => app.set({ damping: value }),
  });
  const time_step = slider({
    key: 'time_step',
    label: 'Time step',
    unit: 'ms',
    minimum: 1,
    maximum: 50,
    logarithmic: true,
    change: (value) => app.set({ time_step: value / 1000 }),
  });
  const iterations = slider({
    key: 'iterations',
    label: 'Iterations',
    minimum: 1,
    maximum: 60,
    whole: true,
    hint: 'Local and global solves a step',
    change: (value) => app.set({ iterations: value }),
  });
  const pace = segments({
    key: 'pace',
    label: 'Pace',
    choices: [
      ['real', 'Real time'],
      ['fast', 'As fast as it goes'],
    ],
    change: (value) => app.set({ real_time: value === 'real' }),
  });
  return {
    element: section(
      'motion', 'Motion', true,
      stiffness.element, volume.element, gravity.element, direction.element, damping.element, time_step.element, iterations.element, pace.element,
    ),
    scene(scene) {
      volume.element.hidden = !scene.bodies.some((body) => body.can_change_volume);
      iterations.element.hidden = !scene.bodies.some((body) => body.has_iterations);
    },
    state(state: StateMessage) {
      stiffness.set(state.stiffness);
      volume.set(state.volume);
      gravity.set(state.gravity[1] === 0 ? 0 : -state.gravity[1]);
      direction.set(state.gravity);
      damping.set(state.damping);
      time_step.set(1000 * state.time_step);
      iterations.set(state.iterations);
      pace.set(state.real_time ? 'real' : 'fast');
    },
  };
}
