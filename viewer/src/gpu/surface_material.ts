// three.js's own materials, with positions and normals fetched from the textures of the decoder: lights, shadows and
// tone mapping stay three's.
import * as THREE from 'three';
import { RESULT_GLSL } from './compute_pass';

export type Colouring = 'plain' | 'strain' | 'ghost';
const COLOURING: Record<Colouring, number> = { plain: 0, strain: 1, ghost: 2 };

/// Shared by all materials of one body.
export interface SurfaceUniforms {
  positions: THREE.IUniform<THREE.Texture>;
  normals: THREE.IUniform<THREE.Texture>;
  ghost_positions: THREE.IUniform<THREE.Texture | null>;
  paint: THREE.IUniform<THREE.Texture | null>; // a colour for each point, by the layout of `positions`; alpha: how much
  colouring: THREE.IUniform<number>;
  colour_scale: THREE.IUniform<number>; // the stretch, or the distance in metres, that has the last colour
  rim: THREE.IUniform<THREE.Color>;
}

export function surface_uniforms(positions: THREE.Texture, normals: THREE.Texture): SurfaceUniforms {
  return {
    positions: { value: positions },
    normals: { value: normals },
    ghost_positions: { value: positions },
    paint: { value: NO_PAINT },
    colouring: { value: COLOURING.plain },
    colour_scale: { value: 1 },
    rim: { value: new THREE.Color(0xffffff) },
  };
}

export function set_colouring(uniforms: SurfaceUniforms, colouring: Colouring, scale: number): void {
  uniforms.colouring.value = COLOURING[colouring];
  uniforms.colour_scale.value = scale;
}

export const NO_PAINT = new THREE.DataTexture(new Uint8Array(4), 1, 1);
NO_PAINT.needsUpdate = true;

/// Vertex shaders: where the vertex is.
export const PLACE_GLSL = /* glsl */ `
precision highp sampler2D;
attribute uint point;
uniform highp sampler2D positions;
${RESULT_GLSL}
`;

const VERTEX_HEAD = /* glsl */ `
${PLACE_GLSL}
uniform highp sampler2D normals;
uniform highp sampler2D ghost_positions;
uniform highp sampler2D paint;
uniform int colouring;
uniform float colour_scale;
varying float measure;
varying vec4 painted;
`;

const VERTEX_NORMAL = /* glsl */ `
vec4 normal_and_stretch = result_at(normals, gl_VertexID);
vec3 objectNormal = normal_and_stretch.xyz;
`;

const VERTEX_POSITION = /* glsl */ `
vec3 transformed = result_at(positions, int(point)).xyz;
measure = 0.0;
if (colouring == 1) measure = normal_and_stretch.w / colour_scale;
if (colouring == 2) measure = distance(transformed, result_at(ghost_positions, int(point)).xyz) / colour_scale;
painted = textureSize(paint, 0).x > 1 ? result_at(paint, int(point)) : vec4(0.0);
`;

// Stretch: blue (shorter) to white to red (longer). Distance: from pale to a deep violet. Even steps of lightness, and
// still told apart by those who do not see red and green as two.
const FRAGMENT_HEAD = /* glsl */ `
uniform int colouring;
uniform vec3 rim;
varying float measure;
varying vec4 painted;
vec3 stretch_colour(float t) {
  t = clamp(t, -1.0, 1.0);
  vec3 middle = vec3(0.86, 0.85, 0.83);
  vec3 longer = mix(vec3(0.93, 0.47, 0.26), vec3(0.55, 0.03, 0.05), smoothstep(0.45, 1.0, t));
  vec3 shorter = mix(vec3(0.25, 0.55, 0.88), vec3(0.03, 0.10, 0.42), smoothstep(0.45, 1.0, -t));
  return t > 0.0 ? mix(middle, longer, smoothstep(0.0, 0.5, t)) : mix(middle, shorter, smoothstep(0.0, 0.5, -t));
}
vec3 distance_colour(float t) {
  t = clamp(t, 0.0, 1.0);
  vec3 low = vec3(0.83, 0.87, 0.80), middle = vec3(0.93, 0.62, 0.20), high = vec3(0.22, 0.02, 0.16);
  return t < 0.5 ? mix(low, middle, 2.0 * t) : mix(middle, high, 2.0 * t - 1.0);
}
`;

const FRAGMENT_COLOUR = /* glsl */ `
#include <color_fragment>
if (colouring == 1) diffuseColor.rgb = stretch_colour(measure);
if (colouring == 2) diffuseColor.rgb = distance_colour(measure);
diffuseColor.rgb = mix(diffuseColor.rgb, painted.rgb, painted.a);
`;

// A little light around the outline, as soft things have.
const FRAGMENT_RIM = /* glsl */ `
float facing = saturate(dot(normal, normalize(vViewPosition)));
outgoingLight += rim * pow(1.0 - facing, 3.0);
#include <opaque_fragment>
`;

export function make_surface_material(
  uniforms: SurfaceUniforms,
  options: THREE.MeshStandardMaterialParameters,
): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.52, metalness: 0, side: THREE.DoubleSide, ...options });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader =
      VERTEX_HEAD +
      shader.vertexShader
        .replace('#include <beginnormal_vertex>', VERTEX_NORMAL)
        .replace('#include <begin_vertex>', VERTEX_POSITION);
    shader.fragmentShader =
      FRAGMENT_HEAD +
      shader.fragmentShader
        .replace('#include <color_fragment>', FRAGMENT_COLOUR)
        .replace('#include <opaque_fragment>', FRAGMENT_RIM);
  };
  material.customProgramCacheKey = () => 'pliant surface';
  return material;
}

/// For materials without light (edges) and the shadow's depth: only the place is fetched.
export function fetch_places<M extends THREE.Material>(material: M, uniforms: SurfaceUniforms): M {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { positions: uniforms.positions });
    shader.vertexShader =
      PLACE_GLSL +
      shader.vertexShader.replace('#include <begin_vertex>', 'vec3 transformed = result_at(positions, int(point)).xyz;');
  };
  material.customProgramCacheKey = () => 'pliant places';
  return material;
}
