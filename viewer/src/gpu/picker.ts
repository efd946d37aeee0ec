// What is under the cursor, found by the GPU: the few pixels around it are drawn with distance, nearest point and body
// in place of colours, and read back. Costs the same for any mesh that can be drawn at all.
import * as THREE from 'three';
import type { SurfaceRings } from './surface_normals';
import { PLACE_GLSL, type SurfaceUniforms } from './surface_material';
import { RESULT_GLSL } from './compute_pass';
import { TABLE_GLSL } from './table';

export interface Hit {
  body: number;
  point: number;
  place: THREE.Vector3; // on the surface, in the world
  distance: number; // from the camera
}

const VERTEX = /* glsl */ `
${PLACE_GLSL}
flat out int corner;
out vec3 place;
void main() {
  corner = gl_VertexID;
  place = result_at(positions, int(point)).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
}
`;

// One corner of the triangle that was hit is known; the other two are among its neighbours.
const FRAGMENT = /* glsl */ `
precision highp int;
precision highp sampler2D;
precision highp usampler2DArray;
${TABLE_GLSL}
${RESULT_GLSL}
uniform highp sampler2D positions;
uniform usampler2DArray ring_point, ring_first, ring;
uniform float body;
flat in int corner;
in vec3 place;
layout(location = 0) out highp vec4 found;
void main() {
  int nearest = int(FETCH(ring_point, corner).r);
  float least = distance(place, result_at(positions, nearest).xyz);
  int begin = int(FETCH(ring_first, corner).r), end = int(FETCH(ring_first, corner + 1).r);
  for (int e = begin; e < end; ++e) {
    ivec2 others = ivec2(FETCH(ring, e).rg);
    for (int side = 0; side < 2; ++side) {
      float away = distance(place, result_at(positions, others[side]).xyz);
      if (away < least) {
        least = away;
        nearest = others[side];
      }
    }
  }
  found = vec4(distance(place, cameraPosition), float(nearest), body, 1.0);
}
`;

export class Picker {
  private readonly scene = new THREE.Scene();
  private readonly meshes: THREE.Mesh[] = [];
  private target: THREE.WebGLRenderTarget | null = null;
  private readonly camera = new THREE.PerspectiveCamera();

  add(body: number, geometry: THREE.BufferGeometry, rings: SurfaceRings, uniforms: SurfaceUniforms): void {
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        positions: uniforms.positions,
        ring_point: { value: rings.point.texture },
        ring_first: { value: rings.ring_first.texture },
        ring: { value: rings.ring.texture },
        body: { value: body },
      },
      blending: THREE.NoBlending,
      side: THREE.DoubleSide,
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    this.meshes.push(mesh);
  }

  /// Compiles the shaders now, so that the first pull does not wait for them.
  warm_up(renderer: THREE.WebGLRenderer): void {
    renderer.compile(this.scene, this.camera);
  }

  clear(): void {
    for (const mesh of this.meshes) (mesh.material as THREE.Material).dispose();
    this.scene.clear();
    this.meshes.length = 0;
  }

  /// x, y: pixels of a window of width x height; the hit nearest to them within `radius` pixels.
  pick(
    renderer: THREE.WebGLRenderer,
    camera: THREE.PerspectiveCamera,
    at: { x: number; y: number; width: number; height: number },
    radius: number,
  ): Hit | null {
    const side = 2 * radius + 1;
    if (this.target?.width !== side) {
      this.target?.dispose();
      this.target = new THREE.WebGLRenderTarget(side, side, {
        type: THREE.FloatType,
        format: THREE.RGBAFormat,
        minFilter: THREE.NearestFilter,
        magFilter: THREE.NearestFilter,
      });
    }
    this.camera.copy(camera, false);
    // The window itself may show a shifted view, to make room for the panel.
    const shift = camera.view?.enabled ? camera.view : { offsetX: 0, offsetY: 0 };
    const left = shift.offsetX + Math.floor(at.x) - radius;
    const top = shift.offsetY + Math.floor(at.y) - radius;
    this.camera.setViewOffset(at.width, at.height, left, top, side, side);
    this.camera.updateMatrixWorld();

    const colour = renderer.getClearColor(new THREE.Color());
    const alpha = renderer.getClearAlpha();
    renderer.setClearColor(0x000000, 0);
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    const pixels = new Float32Array(4 * side * side);
    renderer.readRenderTargetPixels(this.target, 0, 0, side, side, pixels);
    renderer.setRenderTarget(null);
    renderer.setClearColor(colour, alpha);

    // === The hit nearest to the middle
    let best = -1;
    let least = Infinity;
    for (let p = 0; p < side * side; ++p) {
      if (pixels[4 * p + 3] === 0) continue;
      const away = Math.hypot((p % side) - radius, Math.floor(p / side) - radius);
      if (away < least) {
        least = away;
        best = p;
      }
    }
    if (best < 0) return null;
    // Rows of a texture go upwards, rows of a window downwards.
    const x = at.x + (best % side) - radius;
    const y = at.y - (Math.floor(best / side) - radius);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / at.width - 1, 1 - (2 * y) / at.height), camera);
    const distance = pixels[4 * best];
    return {
      body: pixels[4 * best + 2],
      point: pixels[4 * best + 1],
      distance,
      place: ray.ray.at(distance, new THREE.Vector3()),
    };
  }
}
