// Another method, modes, the ghost.
import { claim } from '../support/wait.mjs';
import { positions_are_the_servers } from './decoding.mjs';

async function rebuild(viewer, method, change = {}) {
  await viewer.open_section('method');
  const version = await viewer.ask(() => pliant.version);
  await viewer.page.locator('[data-key="method"]').selectOption(method);
  for (const [key, value] of Object.entries(change)) {
    const field = viewer.page.locator(`[data-field="parameter.${key}"]`);
    if ((await field.count()) > 0) await viewer.type(`parameter.${key}`, String(value));
  }
  await viewer.press('rebuild');
  await viewer.until(`the body is made anew by ${method}`, ([v, m]) => pliant.version > v && pliant.scene.version === pliant.version && pliant.scene.bodies[0].method === m && pliant.body(0).frames > 0, [version, method]);
}

export default [
  [
    'another method: reduced finite elements, and back',
    async (viewer) => {
      await viewer.calm();
      const before = await viewer.ask(() => pliant.scene.bodies[0].method);
      await rebuild(viewer, 'reduced_fem', { modes: 5, samples: 60, poses: 100 });
      await positions_are_the_servers('dense')[1](viewer);
      await rebuild(viewer, before, { handles: 20, samples: 200, fitted_handles: 12 });
      await positions_are_the_servers('skinning')[1](viewer);
      await viewer.no_page_errors();
    },
  ],
  [
    'modes are played one by one',
    async (viewer) => {
      await viewer.calm();
      await viewer.open_section('modes');
      await viewer.press('mode.0');
      await viewer.until('the first mode plays', () => pliant.state.mode?.index === 0);
      await viewer.until('its frequency is known', () => /Hz/.test(document.querySelector('[data-key="mode.0"]').textContent));
      await viewer.until('it moves', () => {
        const x = pliant.readPositions(0), rest = pliant.rest(0), box = pliant.scene.box;
        return x.some((v, i) => Math.abs(v - rest[i]) > 1e-3 * (box[1][1] - box[0][1]));
      });
      await viewer.press('mode.1');
      await viewer.until('the second mode plays', () => pliant.state.mode?.index === 1);
      await viewer.press('mode_stop');
      await viewer.until('the simulation is back', () => pliant.state.mode === null);
    },
  ],
];

export const ghost = [
  'the ghost of the full simulation',
  async (viewer) => {
    await viewer.calm();
    await viewer.open_section('compare');
    await viewer.toggle('ghost', true);
    await viewer.until('there is a ghost', () => pliant.state.ghost && pliant.body(0).has_ghost);
    await viewer.send({ type: 'set', gravity: [0, -9.81, 0] });
    await viewer.until('its distance is measured', () => pliant.stats.ghost_error !== null && Number.isFinite(pliant.stats.ghost_error.mean));
    await viewer.until('and shown', () => document.querySelectorAll('[data-key="ghost_error"] tr').length === 2);
    await viewer.until('it moves', () => {
      const x = pliant.readGhostPositions(0), rest = pliant.rest(0), box = pliant.scene.box;
      return x.some((v, i) => Math.abs(v - rest[i]) > 1e-3 * (box[1][1] - box[0][1]));
    });
    await viewer.press('ghost_place.beside');
    await viewer.until('it stands beside', () => pliant.show.ghost_beside);
    await viewer.press('ghost_place.over');
    await viewer.toggle('ghost', false);
    await viewer.until('it is gone', () => !pliant.state.ghost && !pliant.body(0).has_ghost);
    claim((await viewer.ask(() => pliant.errors.length)) === 0, 'the ghost made errors');
  },
];
