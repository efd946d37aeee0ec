// The floor: a disc of light with a fine grid that fades into the background, and the shadow on it. Where the
// simulation has no floor only a faint shadow is left, well below the body.
import * as THREE from 'three';
import { round_down_nicely } from '../data/scale';
import type { Palette } from './palette';

export class Ground {
  readonly group = new THREE.Group();
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.2 });
  private readonly grid_uniforms = {
    centre: { value: new THREE.Vector2() },
    radius: { value: 1 },
    spacing: { value: 0.1 },
    ground: { value: new THREE.Color() },
    grid: { value: new THREE.Color() },
  };
  private readonly grid: THREE.Mesh;
  private size = 1;
  private low = 0;

  constructor() {
    const plane = new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    const receiver = new THREE.Mesh(plane, this.shadow);
    receiver.receiveShadow = true;
    receiver.renderOrder = -8;
    this.shadow.depthWrite = false;
    this.grid = new THREE.Mesh(
      plane,
      new THREE.ShaderMaterial({
        uniforms: this.grid_uniforms,
        transparent: true,
        depthWrite: false,
        vertexShader: /* glsl */ `
          varying vec2 at;
          void main() {
            vec4 world = modelMatrix * vec4(position, 1.0);
            at = world.xz;
            gl_Position = projectionMatrix * viewMatrix * world;
          }`,
        fragmentShader: /* glsl */ `
          uniform vec2 centre;
          uniform float radius, spacing;
          uniform vec3 ground, grid;
          varying vec2 at;
          float lines(float step) {
            vec2 cell = at / step;
            vec2 width = fwidth(cell);
            vec2 line = 1.0 - smoothstep(vec2(0.0), 1.3 * width, abs(fract(cell - 0.5) - 0.5));
            // Where cells are smaller than a few pixels their lines would only flicker.
            return max(line.x, line.y) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
          }
          void main() {
            float fade = 1.0 - smoothstep(0.1, 1.0, distance(at, centre) / radius);
            float line = max(0.10 * lines(spacing), 0.20 * lines(5.0 * spacing));
            float disc = 0.55 * fade;
            float alpha = fade * (disc + line * (1.0 - disc));
            gl_FragColor = vec4(mix(ground, grid, line / max(line + disc, 1e-4)), alpha);
            #include <colorspace_fragment>
          }`,
      }),
    );
    this.grid.renderOrder = -9;
    this.group.add(this.grid, receiver);
  }

  /// box: of the scene at rest.
  fit(low: THREE.Vector3, high: THREE.Vector3): void {
    this.size = low.distanceTo(high);
    this.low = low.y;
    const radius = 3.2 * this.size;
    this.grid_uniforms.centre.value.set(0.5 * (low.x + high.x), 0.5 * (low.z + high.z));
    this.grid_uniforms.radius.value = radius;
    this.grid_uniforms.spacing.value = round_down_nicely(this.size / 8);
    this.group.scale.set(radius, 1, radius);
    this.group.position.x = this.grid_uniforms.centre.value.x;
    this.group.position.z = this.grid_uniforms.centre.value.y;
  }

  place(floor: { on: boolean; height: number }): void {
    this.grid.visible = floor.on;
    // Just below the floor, so that a body that lies on it is in front of it.
    this.group.position.y = floor.on ? floor.height - 0.002 * this.size : this.low - 0.3 * this.size;
  }

  paint(palette: Palette): void {
    this.shadow.opacity = palette.shadow;
    this.grid_uniforms.ground.value.set(palette.ground);
    this.grid_uniforms.grid.value.set(palette.grid);
  }
}
