// Round dots at decoded points: sampled elements by weight, handles, held vertices.
import * as THREE from 'three';
import { RESULT_GLSL } from '../gpu/compute_pass';

const VERTEX = /* glsl */ `
precision highp sampler2D;
attribute uint point;
attribute float weight;
uniform highp sampler2D positions;
uniform float pixels;
varying float part;
${RESULT_GLSL}
void main() {
  part = weight;
  gl_Position = projectionMatrix * viewMatrix * vec4(result_at(positions, int(point)).xyz, 1.0);
  gl_PointSize = pixels * (0.75 + 0.5 * weight);
}
`;

const FRAGMENT = /* glsl */ `
uniform vec3 low, high;
varying float part;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float inside = 1.0 - smoothstep(0.8, 1.0, away);
  if (inside <= 0.0) discard;
  vec3 colour = mix(low, high, part);
  // A pale edge sets it off from whatever is behind.
  colour = mix(colour, vec3(1.0), smoothstep(0.5, 0.75, away) * 0.75);
  gl_FragColor = vec4(colour, inside);
  #include <colorspace_fragment>
}
`;

export interface MarkerStyle {
  pixels: number;
  low: number;
  high: number;
}

/// weights: 0 to 1, chooses between the two colours; none: all of the second colour.
export function make_markers(
  points: Uint32Array,
  weights: Float32Array | null,
  positions: THREE.IUniform<THREE.Texture>,
  style: MarkerStyle,
): THREE.Points {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('point', new THREE.BufferAttribute(points, 1));
  geometry.setAttribute('weight', new THREE.BufferAttribute(weights ?? new Float32Array(points.length).fill(1), 1));
  // three.js counts what to draw by this one; the shader does not read it.
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * points.length), 3));
  const material = new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthTest: false,
    uniforms: {
      positions,
      pixels: { value: style.pixels * Math.min(window.devicePixelRatio, 2) },
      low: { value: new THREE.Color(style.low) },
      high: { value: new THREE.Color(style.high) },
    },
  });
  const dots = new THREE.Points(geometry, material);
  dots.frustumCulled = false;
  dots.renderOrder = 20;
  dots.visible = false;
  return dots;
}

/// Weights as places on a colour scale: by rank, since a few weights are often far above the rest.
export function ranks(weights: Float32Array): Float32Array {
  const order = Array.from(weights.keys()).sort((a, b) => weights[a] - weights[b]);
  const out = new Float32Array(weights.length);
  order.forEach((id, rank) => (out[id] = weights.length > 1 ? rank / (weights.length - 1) : 1));
  return out;
}
