// The background: a soft gradient from top to bottom, dithered, since eight bits would show its steps.
import * as THREE from 'three';
import type { Palette } from './palette';

export class Backdrop {
  readonly mesh: THREE.Mesh;
  private readonly uniforms = {
    top: { value: new THREE.Color() },
    bottom: { value: new THREE.Color() },
  };

  constructor() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      depthTest: false,
      depthWrite: false,
      vertexShader: /* glsl */ `
        varying vec2 at;
        void main() { at = 0.5 * position.xy + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }`,
      fragmentShader: /* glsl */ `
        uniform vec3 top, bottom;
        varying vec2 at;
        void main() {
          float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
          float away = length((at - vec2(0.5, 0.62)) * vec2(0.9, 1.25));
          vec3 colour = mix(top, bottom, smoothstep(0.05, 0.95, away)) + noise / 255.0;
          gl_FragColor = vec4(colour, 1.0);
        }`,
    });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1000;
  }

  paint(palette: Palette): void {
    // As they are seen: the shader writes them to the screen without another conversion.
    this.uniforms.top.value.copy(new THREE.Color(palette.sky_top).convertLinearToSRGB());
    this.uniforms.bottom.value.copy(new THREE.Color(palette.sky_bottom).convertLinearToSRGB());
  }
}
