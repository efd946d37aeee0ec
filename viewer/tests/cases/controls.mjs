// Keys, the bar and the panel's sliders.
import { claim, until } from '../support/wait.mjs';

const step_now = (viewer) => viewer.ask(async () => (await pliant.serverPositions(0, [0])).step);

export default [
  [
    'Space pauses, the full stop makes one step, r resets',
    async (viewer) => {
      await viewer.calm();
      await viewer.send({ type: 'set', gravity: [0, -9.81, 0] });
      await viewer.until('it moves', () => {
        const x = pliant.readPositions(0), rest = pliant.rest(0);
        return x.some((v, i) => Math.abs(v - rest[i]) > 1e-5);
      });
      await viewer.page.keyboard.press('Space');
      await viewer.until('it is paused', () => pliant.state.paused);
      await viewer.until('the bar says so', () => document.querySelector('[data-key="speed"]').textContent === 'paused');
      const first = await step_now(viewer);
      await viewer.page.keyboard.press('.');
      await until('one step was made', async () => (await step_now(viewer)) === first + 1);
      claim(await viewer.ask(() => pliant.state.paused), 'a single step ended the pause');
      await viewer.page.keyboard.press('r');
      await viewer.until('it is back at rest', () => {
        const x = pliant.readPositions(0), rest = pliant.rest(0);
        return x.every((v, i) => Math.abs(v - rest[i]) < 1e-4);
      });
      await viewer.page.keyboard.press('Space');
      await viewer.until('it goes on', () => !pliant.state.paused);
    },
  ],
  [
    'the bar: pause, step, reset',
    async (viewer) => {
      await viewer.calm();
      await viewer.press('pause');
      await viewer.until('it is paused', () => pliant.state.paused);
      const first = await step_now(viewer);
      await viewer.press('step');
      await until('one step was made', async () => (await step_now(viewer)) === first + 1);
      await viewer.press('reset');
      await until('steps count anew', async () => (await step_now(viewer)) <= 1);
      await viewer.press('pause');
      await viewer.until('it goes on', () => !pliant.state.paused);
    },
  ],
  [
    'stiffness, damping, time step, gravity by number and by slider',
    async (viewer) => {
      await viewer.calm();
      await viewer.open_section('motion');
      await viewer.type('stiffness', '3');
      await viewer.until('the stiffness is 3', () => Math.abs(pliant.state.stiffness - 3) < 1e-9);
      await viewer.type('damping', '0.5');
      await viewer.until('the damping is 0.5', () => Math.abs(pliant.state.damping - 0.5) < 1e-9);
      await viewer.type('time_step', '10');
      await viewer.until('the time step is 10 ms', () => Math.abs(pliant.state.time_step - 0.01) < 1e-9);
      await viewer.type('gravity', '4');
      await viewer.until('gravity is 4', () => Math.abs(pliant.state.gravity[1] + 4) < 1e-9);
      await viewer.type('gravity_vector.x', '1');
      await viewer.until('gravity has an x', () => Math.abs(pliant.state.gravity[0] - 1) < 1e-9 && Math.abs(pliant.state.gravity[1] + 4) < 1e-9);
      const slider = viewer.page.locator('input[type=range][data-key="stiffness"]');
      await slider.scrollIntoViewIfNeeded();
      const box = await slider.boundingBox();
      await viewer.page.mouse.click(box.x + 0.8 * box.width, box.y + 0.5 * box.height);
      await viewer.until('the slider sets it', () => pliant.state.stiffness > 5 && pliant.state.stiffness < 60);
      await viewer.press('pace.fast');
      await viewer.until('as fast as it goes', () => !pliant.state.real_time);
      await viewer.press('pace.real');
      await viewer.until('in real time', () => pliant.state.real_time);
      await viewer.send({ type: 'set', time_step: 1 / 60 });
    },
  ],
  [
    'a number that is too large is brought to the limit, and shown',
    async (viewer) => {
      await viewer.calm();
      await viewer.open_section('motion');
      await viewer.type('stiffness', '1e30');
      await viewer.until('it is clamped', () => pliant.state.stiffness > 1 && pliant.state.stiffness <= 1e6);
      await viewer.until('and the field shows it', () => Number(document.querySelector('[data-field="stiffness"]').value) <= 1e6);
    },
  ],
  [
    'gravity makes the body sag, without it it comes back',
    async (viewer) => {
      await viewer.calm();
      const { point, place } = await viewer.visible_point();
      await viewer.open_section('motion');
      await viewer.type('gravity', '9.81');
      await until('it sags', async () => (await viewer.positions_of(point))[1] < place[1] - 1e-4);
      await viewer.calm();
    },
  ],
  [
    'the floor: on, its height, off',
    async (viewer) => {
      await viewer.calm();
      await viewer.open_section('world');
      await viewer.toggle('floor', true);
      await viewer.until('there is a floor', () => pliant.state.floor.on);
      await viewer.type('floor_height.y', '-1.5');
      await viewer.until('at this height', () => Math.abs(pliant.state.floor.height + 1.5) < 1e-9);
      await viewer.toggle('floor', false);
      await viewer.until('there is none', () => !pliant.state.floor.on);
    },
  ],
  [
    'the sphere: on, by numbers, dragged, off',
    async (viewer) => {
      await viewer.calm();
      // Before the body, as the camera sees it.
      const place = await viewer.ask(() => {
        const { camera, controls } = pliant.stage;
        return camera.position.clone().lerp(controls.target, 0.75).toArray();
      });
      await viewer.open_section('world');
      await viewer.toggle('sphere', true);
      await viewer.until('there is a sphere', () => pliant.state.sphere.on);
      for (const [i, name] of ['x', 'y', 'z'].entries()) {
        await viewer.type(`sphere_center.${name}`, place[i].toFixed(5));
        await viewer.until(`its ${name} is set`, ([axis, value]) => Math.abs(pliant.state.sphere.center[axis] - value) < 1e-4, [i, place[i]]);
      }
      const radius = await viewer.ask(() => 0.04 * Math.hypot(...[0, 1, 2].map((i) => pliant.scene.box[1][i] - pliant.scene.box[0][i])));
      await viewer.type('sphere_radius.r', radius.toFixed(5));
      await viewer.until('its radius is set', (r) => Math.abs(pliant.state.sphere.radius - r) < 1e-4, radius);
      const at = await viewer.ask((p) => pliant.project(p), place);
      await viewer.page.mouse.move(at.x, at.y);
      await viewer.page.mouse.down();
      await viewer.page.mouse.move(at.x + 20, at.y - 10);
      await viewer.page.mouse.move(at.x + 45, at.y - 20);
      await viewer.until('it follows the mouse', ([x, y, z]) => {
        const c = pliant.state.sphere.center;
        return Math.hypot(c[0] - x, c[1] - y, c[2] - z) > 0.5 * pliant.state.sphere.radius;
      }, place);
      await viewer.page.mouse.up();
      claim((await viewer.ask(() => pliant.pulls)) === 0, 'the sphere is still held');
      await viewer.toggle('sphere', false);
      await viewer.until('there is none', () => !pliant.state.sphere.on);
    },
  ],
];
