// What the GPU makes of a frame, against the server's own numbers; normals against normals made from the positions.
import { claim } from '../support/wait.mjs';

/// A body that hangs bent, and stands still.
async function bend(viewer) {
  await viewer.calm();
  await viewer.send({ type: 'set', gravity: [3, -20, 5] });
  await viewer.until('it has bent', () => {
    const x = pliant.readPositions(0), rest = pliant.rest(0), box = pliant.scene.box;
    const size = Math.hypot(...[0, 1, 2].map((i) => box[1][i] - box[0][i]));
    return x.some((v, i) => Math.abs(v - rest[i]) > 0.01 * size);
  });
  await viewer.pause();
  await viewer.until('the last frame is there', async () => Math.abs((await pliant.serverPositions(0, [0])).time - pliant.body(0).time) < 1e-9);
}

export function positions_are_the_servers(decode) {
  return [
    `decoded positions are the server's (${decode})`,
    async (viewer) => {
      await bend(viewer);
      const kind = await viewer.ask(() => pliant.scene.bodies[0].decode);
      claim(kind === decode, `the server sends ${kind}; expected ${decode}`);
      const { error, moved, points } = await viewer.decoding_error();
      claim(moved > 0.005, `the body has hardly moved: ${moved} of the box`);
      claim(error < 1e-4, `decoded positions are ${error} of the box from the server's, over ${points} points; expected below 1e-4`);
    },
  ];
}

export const normals_are_the_positions = [
  'normals are those of the decoded positions',
  async (viewer) => {
    await bend(viewer);
    const { worst, vertices, stretched } = await viewer.ask(() => {
      const x = pliant.readPositions(0), rest = pliant.rest(0), normals = pliant.readNormals(0);
      const { point, ring_first, ring } = pliant.surface(0);
      const minus = (from, a, b) => [0, 1, 2].map((i) => from[3 * a + i] - from[3 * b + i]);
      let worst = 0, stretched = 0;
      for (let v = 0; v < point.length; ++v) {
        const sum = [0, 0, 0];
        let now = 0, before = 0;
        for (let e = ring_first[v]; e < ring_first[v + 1]; ++e) {
          const a = minus(x, ring[2 * e], point[v]), b = minus(x, ring[2 * e + 1], point[v]);
          sum[0] += a[1] * b[2] - a[2] * b[1];
          sum[1] += a[2] * b[0] - a[0] * b[2];
          sum[2] += a[0] * b[1] - a[1] * b[0];
          now += Math.hypot(...a) + Math.hypot(...b);
          before += Math.hypot(...minus(rest, ring[2 * e], point[v])) + Math.hypot(...minus(rest, ring[2 * e + 1], point[v]));
        }
        const length = Math.hypot(...sum);
        for (let i = 0; i < 3; ++i) worst = Math.max(worst, Math.abs(normals[4 * v + i] - sum[i] / length));
        worst = Math.max(worst, Math.abs(normals[4 * v + 3] - (now / before - 1)));
        stretched = Math.max(stretched, Math.abs(normals[4 * v + 3]));
      }
      return { worst, vertices: point.length, stretched };
    });
    claim(vertices > 0 && stretched > 1e-4, `nothing is stretched: ${stretched}`);
    claim(worst < 2e-3, `normals and stretches differ by ${worst}; expected below 2e-3`);
  },
];
