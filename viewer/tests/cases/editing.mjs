// The edit mode: regions by box and brush, moved by numbers; the equilibrium follows.
import { claim, until } from '../support/wait.mjs';

async function begin(viewer) {
  await viewer.calm();
  await viewer.open_section('edit');
  await viewer.toggle('edit', true);
  await viewer.until('the edit mode is on', () => pliant.state.edit !== null && pliant.edit.on);
}

export default [
  [
    'a region by box is moved, and the body follows',
    async (viewer) => {
      await begin(viewer);
      await viewer.press('tool.box');
      // Around one end of the body, as it is seen.
      const box = await viewer.ask(() => {
        const x = pliant.readPositions(0);
        const seen = Array.from({ length: pliant.scene.bodies[0].surface }, (_, p) => pliant.project([x[3 * p], x[3 * p + 1], x[3 * p + 2]]));
        const free = seen.filter((at) => document.elementFromPoint(at.x, at.y)?.id === 'view').sort((a, b) => a.y - b.y);
        const top = free.slice(0, Math.max(4, Math.floor(free.length / 8)));
        const xs = top.map((at) => at.x), ys = top.map((at) => at.y);
        return { left: Math.min(...xs) - 6, right: Math.max(...xs) + 6, top: Math.min(...ys) - 6, bottom: Math.max(...ys) + 1 };
      });
      await viewer.page.mouse.move(box.left, box.top);
      await viewer.page.mouse.down();
      await viewer.page.mouse.move(0.5 * (box.left + box.right), 0.5 * (box.top + box.bottom));
      await viewer.page.mouse.move(box.right, box.bottom);
      await viewer.page.mouse.up();
      await viewer.until('there is a region', () => pliant.edit.regions.length === 1 && pliant.edit.regions[0].points.size > 2);
      await viewer.until('it is in the list', () => document.querySelectorAll('[data-key="regions"] li').length === 1);
      await viewer.press('tool.move');
      const { point, size } = await viewer.ask(() => ({
        point: [...pliant.edit.regions[0].points][0],
        size: Math.hypot(...[0, 1, 2].map((i) => pliant.scene.box[1][i] - pliant.scene.box[0][i])),
      }));
      const before = await viewer.positions_of(point);
      await viewer.type('translation.y', (0.1 * size).toFixed(5));
      await viewer.until('the equilibrium was found', () => document.querySelectorAll('[data-key="pose"] tr').length > 0);
      let now = before;
      await until(
        'the region is where it was put',
        async () => {
          now = await viewer.positions_of(point);
          return Math.abs(now[1] - before[1] - 0.1 * size) < 0.03 * size;
        },
        () => `${now[1] - before[1]} of ${0.1 * size}`,
      );
      await viewer.press('region_clear');
      await viewer.until('no region is left', () => pliant.edit.regions.length === 0);
      await viewer.toggle('edit', false);
      await viewer.until('the edit mode is off', () => pliant.state.edit === null);
    },
  ],
  [
    'regions by brush: two of them, one is removed',
    async (viewer) => {
      await begin(viewer);
      await viewer.press('tool.paint');
      const { at } = await viewer.visible_point();
      await viewer.page.mouse.move(at.x, at.y);
      await viewer.page.mouse.down();
      await viewer.page.mouse.move(at.x + 3, at.y + 2);
      await viewer.page.mouse.up();
      await viewer.until('there is a region', () => pliant.edit.regions.length === 1 && pliant.edit.regions[0].points.size > 0);
      await viewer.press('region_new');
      const other = await viewer.ask(() => {
        const x = pliant.readPositions(0), canvas = document.getElementById('view').getBoundingClientRect();
        for (let p = 0; p < pliant.scene.bodies[0].surface; ++p) {
          const at = pliant.project([x[3 * p], x[3 * p + 1], x[3 * p + 2]]);
          if (document.elementFromPoint(at.x, at.y)?.id !== 'view') continue;
          const hit = pliant.pick(at.x - canvas.left, at.y - canvas.top);
          if (hit && hit.point === p && !pliant.edit.regions[0].points.has(p)) return at;
        }
        return null;
      });
      claim(other, 'no other point is in view');
      await viewer.page.mouse.move(other.x, other.y);
      await viewer.page.mouse.down();
      await viewer.page.mouse.up();
      await viewer.until('there are two', () => pliant.edit.regions.length === 2);
      await viewer.press('region_remove.0');
      await viewer.until('one is left', () => pliant.edit.regions.length === 1 && document.querySelectorAll('[data-key="regions"] li').length === 1);
      await viewer.toggle('edit', false);
      await viewer.until('the edit mode is off', () => pliant.state.edit === null);
    },
  ],
];
