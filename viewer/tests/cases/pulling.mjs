// Pulling with every button, with keys held, with a finger; turning the view elsewhere.
import { claim, until } from '../support/wait.mjs';

const PULL_PIXELS = [-70, -40];

/// begin, move and end the drag, whichever device it is.
async function pull(viewer, device) {
  await viewer.calm();
  const { point, place, at } = await viewer.visible_point();
  const to = { x: at.x + PULL_PIXELS[0], y: at.y + PULL_PIXELS[1] };
  await device.down(at);
  await device.move({ x: at.x + 0.5 * PULL_PIXELS[0], y: at.y + 0.5 * PULL_PIXELS[1] });
  await device.move(to);
  await viewer.until('a pull is under way', () => pliant.pulls === 1);
  const whole = Math.hypot(...PULL_PIXELS);
  let left = whole;
  await until(
    'the pulled point comes towards the cursor',
    async () => {
      left = await viewer.ask(
        ({ p, to }) => {
          const x = pliant.readPositions(0);
          const seen = pliant.project([x[3 * p], x[3 * p + 1], x[3 * p + 2]]);
          return Math.hypot(seen.x - to.x, seen.y - to.y);
        },
        { p: point, to },
      );
      return left < 0.75 * whole;
    },
    () => `${left.toFixed(1)} of ${whole.toFixed(1)} pixels left`,
  );
  await device.up(to);
  await viewer.until('the pull has ended', () => pliant.pulls === 0);
  const size = await viewer.ask(() => Math.hypot(...[0, 1, 2].map((i) => pliant.scene.box[1][i] - pliant.scene.box[0][i])));
  await until('it swings back', async () => {
    const now = await viewer.positions_of(point);
    return Math.hypot(...now.map((v, i) => v - place[i])) < 0.05 * size;
  });
}

function mouse(viewer, { button = 'left', key = null } = {}) {
  const { page } = viewer;
  return {
    async down({ x, y }) {
      if (key) await page.keyboard.down(key);
      await page.mouse.move(x, y);
      await page.mouse.down({ button });
    },
    move: ({ x, y }) => page.mouse.move(x, y),
    async up() {
      await page.mouse.up({ button });
      if (key) await page.keyboard.up(key);
    },
  };
}

async function finger(viewer) {
  const session = await viewer.context.newCDPSession(viewer.page);
  const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  return {
    down: (at) => touch('touchStart', [at]),
    move: (at) => touch('touchMove', [at]),
    up: () => touch('touchEnd', []),
  };
}

export default [
  ['pull with the left button', (viewer) => pull(viewer, mouse(viewer))],
  ['pull with the right button', (viewer) => pull(viewer, mouse(viewer, { button: 'right' }))],
  ['pull with Ctrl held', (viewer) => pull(viewer, mouse(viewer, { key: 'Control' }))],
  ['pull with Shift held', (viewer) => pull(viewer, mouse(viewer, { key: 'Shift' }))],
  ['pull with a finger', async (viewer) => pull(viewer, await finger(viewer))],
  [
    'two fingers zoom, even where the first one had begun to pull',
    async (viewer) => {
      await viewer.calm();
      const { at } = await viewer.visible_point();
      const session = await viewer.context.newCDPSession(viewer.page);
      const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
      const distance = () => viewer.ask(() => pliant.stage.camera.position.distanceTo(pliant.stage.controls.target));
      const far = await distance();
      await touch('touchStart', [at.x, at.y]);
      await viewer.until('one finger pulls', () => pliant.pulls === 1);
      await touch('touchStart', [at.x, at.y], [at.x + 40, at.y]);
      await viewer.until('two do not', () => pliant.pulls === 0);
      for (const spread of [60, 90, 120]) await touch('touchMove', [at.x - spread / 4, at.y], [at.x + spread, at.y]);
      await until('they zoom', async () => (await distance()) < 0.95 * far);
      await touch('touchEnd');
    },
  ],
  [
    'a drag beside the body turns the view, and the wheel zooms',
    async (viewer) => {
      await viewer.calm();
      const where = () => viewer.ask(() => pliant.stage.camera.position.toArray());
      const before = await where();
      const device = mouse(viewer);
      await device.down({ x: 20, y: 20 });
      await device.move({ x: 60, y: 40 });
      await device.move({ x: 90, y: 50 });
      await until('the view turns', async () => Math.hypot(...(await where()).map((v, i) => v - before[i])) > 1e-3);
      claim((await viewer.ask(() => pliant.pulls)) === 0, 'a drag beside the body pulled it');
      await device.up();
      const distance = () => viewer.ask(() => pliant.stage.camera.position.distanceTo(pliant.stage.controls.target));
      const far = await distance();
      await viewer.page.mouse.wheel(0, -300);
      await until('the wheel zooms', async () => (await distance()) < 0.99 * far);
      await viewer.page.mouse.wheel(0, 300);
      await until('and back', async () => (await distance()) > 0.98 * far);
    },
  ],
];
