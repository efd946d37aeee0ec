// The line from a pulled point to the cursor. Its beginning is fetched from the body's positions: nothing is read back.
import * as THREE from 'three';
import { RESULT_GLSL } from '../gpu/compute_pass';

const PIXELS = 2.5;

// side.x: which end; side.y: which edge of the line. Ends are dots: the same quad once more, square.
const VERTEX = /* glsl */ `
precision highp sampler2D;
uniform highp sampler2D positions;
uniform int point;
uniform vec3 target;
uniform vec2 window;
uniform float pixels;
attribute vec3 side;
varying vec2 in_dot;
${RESULT_GLSL}
void main() {
  mat4 camera = projectionMatrix * viewMatrix;
  vec4 a = camera * vec4(result_at(positions, point).xyz, 1.0);
  vec4 b = camera * vec4(target, 1.0);
  vec4 here = side.x < 0.5 ? a : b;
  in_dot = vec2(0.0);
  if (side.z < 0.5) {
    vec2 along = (b.xy / b.w - a.xy / a.w) * window;
    vec2 across = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
    here.xy += across * side.y * pixels / window * here.w;
  } else {
    in_dot = vec2(mod(side.z - 1.0, 2.0), floor((side.z - 1.0) / 2.0)) * 2.0 - 1.0;
    here.xy += in_dot * (side.x < 0.5 ? 2.6 : 3.6) * pixels / window * here.w;
  }
  gl_Position = here;
}
`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour;
varying vec2 in_dot;
void main() {
  float inside = 1.0 - smoothstep(0.8, 1.0, length(in_dot));
  if (inside <= 0.0) discard;
  gl_FragColor = vec4(colour, 0.9 * inside);
  #include <colorspace_fragment>
}
`;

export class PullLine {
  readonly mesh: THREE.Mesh;
  private readonly uniforms = {
    positions: { value: null as THREE.Texture | null },
    point: { value: 0 },
    target: { value: new THREE.Vector3() },
    window: { value: new THREE.Vector2(1, 1) },
    pixels: { value: PIXELS },
    colour: { value: new THREE.Color() },
  };

  constructor() {
    const geometry = new THREE.BufferGeometry();
    const side = [
      [0, -1, 0], [1, -1, 0], [0, 1, 0], [1, 1, 0],
      [0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 4],
      [1, 0, 1], [1, 0, 2], [1, 0, 3], [1, 0, 4],
    ].flat();
    geometry.setAttribute('side', new THREE.BufferAttribute(new Float32Array(side), 3));
    geometry.setIndex([0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7, 8, 9, 10, 10, 9, 11]);
    this.mesh = new THREE.Mesh(
      geometry,
      new THREE.ShaderMaterial({
        uniforms: this.uniforms,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        transparent: true,
        depthTest: false,
        side: THREE.DoubleSide,
      }),
    );
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 30;
  }

  set(positions: THREE.Texture, point: number, target: THREE.Vector3, colour: number, size: THREE.Vector2): void {
    this.uniforms.positions.value = positions;
    this.uniforms.point.value = point;
    this.uniforms.target.value.copy(target);
    this.uniforms.window.value.copy(size);
    this.uniforms.colour.value.set(colour);
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}
