// Which corners of the surface share a normal.
//
// A smooth surface has one normal a vertex; a box has three at each of its corners. Triangles around a vertex belong to
// one group where they meet, at rest, at an angle below the crease angle; every group becomes a vertex to draw. Points
// at the same place (seams of a file that splits its vertices) count as one when neighbours are looked for.

export interface DrawnSurface {
  vertices: number; // to draw; at least as many as points
  point: Uint32Array; // of each drawn vertex: the point whose position it has
  index: Uint32Array; // triangles, three drawn vertices each
  ring_first: Uint32Array; // vertices + 1: where a vertex's triangles begin in `ring`
  ring: Uint32Array; // two a triangle around the vertex: its next and its previous point
}

const CREASE_COSINE = Math.cos((75 * Math.PI) / 180);

/// rest: 3 a point; triangles: 3 points each, all below `surface`.
export function smooth_groups(rest: Float32Array, triangles: Uint32Array, surface: number): DrawnSurface {
  const corners = triangles.length;
  const welded = weld(rest, surface);
  const normals = face_normals(rest, triangles);

  // === Corners around each welded vertex
  const first = new Uint32Array(surface + 1);
  for (let c = 0; c < corners; ++c) first[welded[triangles[c]] + 1]++;
  for (let v = 0; v < surface; ++v) first[v + 1] += first[v];
  const around = new Uint32Array(corners);
  const filled = first.slice();
  for (let c = 0; c < corners; ++c) around[filled[welded[triangles[c]]]++] = c;

  // === Groups: corners joined across edges that are no creases
  const next = (c: number) => triangles[c % 3 === 2 ? c - 2 : c + 1];
  const previous = (c: number) => triangles[c % 3 === 0 ? c + 2 : c - 1];
  const root = new Uint32Array(corners);
  for (let c = 0; c < corners; ++c) root[c] = c;
  const find = (c: number) => {
    while (root[c] !== c) c = root[c] = root[root[c]];
    return c;
  };
  for (let v = 0; v < surface; ++v) {
    for (let i = first[v]; i < first[v + 1]; ++i) {
      const a = around[i];
      const beyond = welded[next(a)];
      for (let j = first[v]; j < first[v + 1]; ++j) {
        const b = around[j];
        if (a === b || welded[previous(b)] !== beyond) continue;
        if (cosine(normals, Math.floor(a / 3), Math.floor(b / 3)) >= CREASE_COSINE) root[find(a)] = find(b);
      }
    }
  }

  // === One drawn vertex for each (group, point), and the triangles of its whole group around it
  const vertex_of = new Int32Array(corners).fill(-1);
  const point: number[] = [];
  const ring_first: number[] = [0];
  const ring: number[] = [];
  for (let v = 0; v < surface; ++v) {
    for (let i = first[v]; i < first[v + 1]; ++i) {
      const c = around[i];
      if (vertex_of[c] >= 0) continue;
      const group = find(c);
      const drawn = point.length;
      point.push(triangles[c]);
      for (let j = first[v]; j < first[v + 1]; ++j) {
        const other = around[j];
        if (find(other) !== group) continue;
        if (triangles[other] === triangles[c]) vertex_of[other] = drawn;
        ring.push(next(other), previous(other));
      }
      ring_first.push(ring.length / 2);
    }
  }
  return {
    vertices: point.length,
    point: Uint32Array.from(point),
    index: Uint32Array.from(vertex_of),
    ring_first: Uint32Array.from(ring_first),
    ring: Uint32Array.from(ring),
  };
}

/// For each point the first one at the same place.
function weld(rest: Float32Array, surface: number): Uint32Array {
  const bits = new Uint32Array(rest.buffer, rest.byteOffset, 3 * surface);
  const buckets = 1 << Math.max(4, Math.ceil(Math.log2(2 * surface + 1)));
  const table = new Int32Array(buckets).fill(-1);
  const welded = new Uint32Array(surface);
  for (let p = 0; p < surface; ++p) {
    let hash = Math.imul(bits[3 * p], 0x9e3779b1) ^ Math.imul(bits[3 * p + 1], 0x85ebca6b) ^ Math.imul(bits[3 * p + 2], 0xc2b2ae35);
    hash ^= hash >>> 15;
    for (let slot = hash & (buckets - 1); ; slot = (slot + 1) & (buckets - 1)) {
      const other = table[slot];
      if (other < 0) {
        table[slot] = p;
        welded[p] = p;
        break;
      }
      if (rest[3 * other] === rest[3 * p] && rest[3 * other + 1] === rest[3 * p + 1] && rest[3 * other + 2] === rest[3 * p + 2]) {
        welded[p] = other;
        break;
      }
    }
  }
  return welded;
}

function face_normals(x: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) || 1;
    normals[t] = nx / length;
    normals[t + 1] = ny / length;
    normals[t + 2] = nz / length;
  }
  return normals;
}

function cosine(normals: Float32Array, s: number, t: number): number {
  return normals[3 * s] * normals[3 * t] + normals[3 * s + 1] * normals[3 * t + 1] + normals[3 * s + 2] * normals[3 * t + 2];
}
