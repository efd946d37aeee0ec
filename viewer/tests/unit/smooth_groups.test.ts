import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smooth_groups } from '../../src/data/smooth_groups';

const CORNERS = [
  [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
  [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
].flat();
const CUBE = [
  [0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
  [2, 3, 7], [2, 7, 6], [1, 2, 6], [1, 6, 5], [0, 4, 7], [0, 7, 3],
].flat();

function octahedra(subdivisions: number): { rest: Float32Array; triangles: Uint32Array } {
  const rest = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  let triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
  for (let s = 0; s < subdivisions; ++s) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number) => {
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (!middles.has(key)) {
        const m = [0, 1, 2].map((i) => rest[3 * a + i] + rest[3 * b + i]);
        const length = Math.hypot(...m);
        middles.set(key, rest.length / 3);
        rest.push(...m.map((v) => v / length));
      }
      return middles.get(key)!;
    };
    triangles = triangles.flatMap(([a, b, c]) => {
      const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
    });
  }
  return { rest: Float32Array.from(rest), triangles: Uint32Array.from(triangles.flat()) };
}

test('a cube is drawn with three normals at each of its corners', () => {
  const drawn = smooth_groups(Float32Array.from(CORNERS), Uint32Array.from(CUBE), 8);
  assert.equal(drawn.vertices, 24);
  assert.equal(drawn.ring_first[24], 36);
});

test('a sphere is drawn with one normal a vertex', () => {
  const { rest, triangles } = octahedra(2);
  const drawn = smooth_groups(rest, triangles, rest.length / 3);
  assert.equal(drawn.vertices, rest.length / 3);
});

test('triangles keep their points, and every corner of a triangle is in the ring of its vertex', () => {
  const { rest, triangles } = octahedra(1);
  for (const [x, t] of [[rest, triangles], [Float32Array.from(CORNERS), Uint32Array.from(CUBE)]] as const) {
    const drawn = smooth_groups(x, t, x.length / 3);
    for (let c = 0; c < t.length; ++c) {
      const v = drawn.index[c];
      assert.equal(drawn.point[v], t[c]);
      const base = c - (c % 3);
      const next = t[base + ((c + 1) % 3)], previous = t[base + ((c + 2) % 3)];
      let found = false;
      for (let e = drawn.ring_first[v]; e < drawn.ring_first[v + 1]; ++e) {
        found ||= drawn.ring[2 * e] === next && drawn.ring[2 * e + 1] === previous;
      }
      assert.ok(found);
    }
  }
});

test('seams of a file that splits its vertices do not show', () => {
  const { rest, triangles } = octahedra(2);
  // Every triangle gets corners of its own.
  const split = Float32Array.from([...triangles].flatMap((p) => [rest[3 * p], rest[3 * p + 1], rest[3 * p + 2]]));
  const ids = Uint32Array.from(triangles.keys());
  const drawn = smooth_groups(split, ids, ids.length);
  const degree = (v: number) => drawn.ring_first[v + 1] - drawn.ring_first[v];
  for (let c = 0; c < ids.length; ++c) assert.ok(degree(drawn.index[c]) >= 4);
});
