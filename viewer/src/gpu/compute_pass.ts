// A fragment shader run once for every item of a list; its results are the texels of a float texture.
import * as THREE from 'three';
import { TABLE_GLSL } from './table';

const WIDTH = 1024;

/// Place of item i in the texture of a pass. `positions` and normals are read so wherever they are drawn.
export const RESULT_GLSL = /* glsl */ `
vec4 result_at(highp sampler2D results, int i) {
  int width = textureSize(results, 0).x;
  return texelFetch(results, ivec2(i % width, i / width), 0);
}
`;

const VERTEX = /* glsl */ `
in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }
`;

const FRAGMENT_HEAD = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
precision highp usampler2DArray;
${TABLE_GLSL}
${RESULT_GLSL}
uniform int count;
uniform int width;
out vec4 result;
vec4 compute(int i);
void main() {
  int i = int(gl_FragCoord.y) * width + int(gl_FragCoord.x);
  result = i < count ? compute(i) : vec4(0.0);
}
`;

// One triangle that covers the target.
const TRIANGLE = new THREE.BufferGeometry();
TRIANGLE.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
const CAMERA = new THREE.Camera();

export class ComputePass {
  readonly target: THREE.WebGLRenderTarget;
  private readonly material: THREE.RawShaderMaterial;
  private readonly scene = new THREE.Scene();
  readonly uniforms: Record<string, THREE.IUniform>;

  /// body: GLSL that declares its uniforms and defines vec4 compute(int i).
  constructor(
    readonly count: number,
    body: string,
    uniforms: Record<string, THREE.IUniform>,
  ) {
    const width = Math.max(1, Math.min(WIDTH, count));
    const height = Math.max(1, Math.ceil(count / width));
    this.target = new THREE.WebGLRenderTarget(width, height, {
      type: THREE.FloatType,
      format: THREE.RGBAFormat,
      minFilter: THREE.NearestFilter,
      magFilter: THREE.NearestFilter,
      depthBuffer: false,
    });
    this.uniforms = { ...uniforms, count: { value: count }, width: { value: width } };
    this.material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT_HEAD + body,
      uniforms: this.uniforms,
      blending: THREE.NoBlending,
      depthTest: false,
      depthWrite: false,
    });
    const mesh = new THREE.Mesh(TRIANGLE, this.material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  get texture(): THREE.Texture {
    return this.target.texture;
  }

  run(renderer: THREE.WebGLRenderer): void {
    renderer.setRenderTarget(this.target);
    renderer.render(this.scene, CAMERA);
    renderer.setRenderTarget(null);
  }

  /// Four numbers an item, read back: waits for the GPU, so not in every frame.
  read(renderer: THREE.WebGLRenderer): Float32Array {
    const { width, height } = this.target;
    const all = new Float32Array(4 * width * height);
    renderer.readRenderTargetPixels(this.target, 0, 0, width, height, all);
    return all.subarray(0, 4 * this.count);
  }

  dispose(): void {
    this.target.dispose();
    this.material.dispose();
  }
}
