// Soft light: the sky from all sides, one key light with a soft shadow, a little fill from behind.
import * as THREE from 'three';
import type { Quality } from '../gpu/quality';
import type { Palette } from './palette';

export class Lights {
  readonly group = new THREE.Group();
  private readonly sky = new THREE.HemisphereLight();
  private readonly key = new THREE.DirectionalLight();
  private readonly fill = new THREE.DirectionalLight();

  constructor(private readonly quality: Quality) {
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(quality.shadow_pixels, quality.shadow_pixels);
    this.key.shadow.radius = quality.shadow_radius;
    this.key.shadow.blurSamples = quality.shadow_samples;
    this.group.add(this.sky, this.key, this.key.target, this.fill, this.fill.target);
  }

  fit(low: THREE.Vector3, high: THREE.Vector3): void {
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const size = low.distanceTo(high);
    this.key.position.copy(centre).addScaledVector(new THREE.Vector3(0.45, 1, 0.55).normalize(), 3 * size);
    this.key.target.position.copy(centre);
    this.fill.position.copy(centre).addScaledVector(new THREE.Vector3(-0.7, 0.35, -0.6).normalize(), 3 * size);
    this.fill.target.position.copy(centre);
    const camera = this.key.shadow.camera;
    camera.left = camera.bottom = -1.5 * size;
    camera.right = camera.top = 1.5 * size;
    camera.near = 0.2 * size;
    camera.far = 7 * size;
    camera.updateProjectionMatrix();
    // A few texels of the shadow along the normal: no acne on curved surfaces.
    this.key.shadow.normalBias = (9 * size) / this.quality.shadow_pixels;
    this.key.shadow.bias = -0.0006;
    this.key.shadow.needsUpdate = true;
  }

  paint(palette: Palette): void {
    this.sky.color.set(palette.hemisphere[0]);
    this.sky.groundColor.set(palette.hemisphere[1]);
    this.sky.intensity = palette.hemisphere[2];
    this.key.color.set(palette.key[0]);
    this.key.intensity = palette.key[1];
    this.fill.color.set(palette.fill[0]);
    this.fill.intensity = palette.fill[1];
  }
}
