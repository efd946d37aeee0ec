// The movable sphere.
import * as THREE from 'three';
import type { SphereState } from '../net/protocol';
import type { Palette } from './palette';

export class SphereView {
  readonly mesh: THREE.Mesh<THREE.SphereGeometry, THREE.MeshStandardMaterial>;

  constructor() {
    this.mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 64, 32), new THREE.MeshStandardMaterial({ roughness: 0.35 }));
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.visible = false;
  }

  place(sphere: SphereState): void {
    this.mesh.visible = sphere.on;
    this.mesh.position.set(...sphere.center);
    // A hair smaller than what bodies feel, so that they do not flicker through it.
    this.mesh.scale.setScalar(Math.max(0.985 * sphere.radius, 1e-9));
  }

  paint(palette: Palette): void {
    this.mesh.material.color.set(palette.sphere);
  }

  /// Distance along the ray, or null.
  hit(ray: THREE.Ray): number | null {
    if (!this.mesh.visible) return null;
    const at = ray.intersectSphere(new THREE.Sphere(this.mesh.position, this.mesh.scale.x), new THREE.Vector3());
    return at ? at.distanceTo(ray.origin) : null;
  }
}
