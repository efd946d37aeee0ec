// Handle regions of the edit mode: plain data and how it is changed.
import type { EditHandle, Vec3 } from '../net/protocol';

export interface Region {
  points: Set<number>;
  translation: Vec3;
  rotation: Vec3; // axis times angle
}

/// As many points of a region as are sent: enough to hold it, few enough for one message.
const MOST_SENT = 400;

/// Evenly chosen from the region, in ascending order.
export function sent_points(region: Region): number[] {
  const all = [...region.points].sort((a, b) => a - b);
  if (all.length <= MOST_SENT) return all;
  return Array.from({ length: MOST_SENT }, (_, i) => all[Math.floor((i * all.length) / MOST_SENT)]);
}

/// The middle of what is sent, at rest: what the region turns about.
export function region_centre(region: Region, rest: Float32Array): Vec3 {
  const centre: Vec3 = [0, 0, 0];
  const points = sent_points(region);
  for (const p of points) for (let axis = 0; axis < 3; ++axis) centre[axis] += rest[3 * p + axis] / points.length;
  return centre;
}

export function as_handles(regions: Region[]): EditHandle[] {
  return regions.map((region) => ({
    points: sent_points(region),
    translation: region.translation,
    rotation: region.rotation,
  }));
}

/// Takes points away from all other regions: a point belongs to one.
export function add_points(regions: Region[], chosen: number, points: Iterable<number>): void {
  for (const p of points) {
    regions.forEach((region, r) => {
      if (r === chosen) region.points.add(p);
      else region.points.delete(p);
    });
  }
}

export function remove_points(regions: Region[], chosen: number, points: Iterable<number>): void {
  for (const p of points) regions[chosen]?.points.delete(p);
}

/// Surface points within `radius` of a place; positions: three a point.
export function points_near(positions: Float32Array, surface: number, place: Vec3, radius: number): number[] {
  const found: number[] = [];
  for (let p = 0; p < surface; ++p) {
    const x = positions[3 * p] - place[0], y = positions[3 * p + 1] - place[1], z = positions[3 * p + 2] - place[2];
    if (x * x + y * y + z * z <= radius * radius) found.push(p);
  }
  return found;
}

/// Surface points that are seen inside a rectangle of the window; matrix: projection times view, columns first.
export function points_in_box(
  positions: Float32Array,
  surface: number,
  matrix: ArrayLike<number>,
  box: { left: number; right: number; bottom: number; top: number }, // -1 to 1, as the matrix gives them
): number[] {
  const found: number[] = [];
  for (let p = 0; p < surface; ++p) {
    const x = positions[3 * p], y = positions[3 * p + 1], z = positions[3 * p + 2];
    const w = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
    if (w <= 0) continue;
    const u = (matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12]) / w;
    const v = (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13]) / w;
    if (u >= box.left && u <= box.right && v >= box.bottom && v <= box.top) found.push(p);
  }
  return found;
}
