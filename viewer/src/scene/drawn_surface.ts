// A surface whose positions and normals live in textures: the mesh, its shadow, its edges.
import * as THREE from 'three';
import type { SurfaceRings } from '../gpu/surface_normals';
import { fetch_places, make_surface_material, type SurfaceUniforms } from '../gpu/surface_material';

export function make_surface_geometry(rings: SurfaceRings): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setIndex(new THREE.BufferAttribute(rings.surface.index, 1));
  geometry.setAttribute('point', new THREE.BufferAttribute(rings.surface.point, 1));
  return geometry;
}

export class DrawnSurface {
  readonly group = new THREE.Group();
  readonly material: THREE.MeshStandardMaterial;
  private readonly mesh: THREE.Mesh;
  private edges: THREE.Mesh | null = null;

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    private readonly uniforms: SurfaceUniforms,
    options: THREE.MeshStandardMaterialParameters,
  ) {
    this.material = make_surface_material(uniforms, options);
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.customDepthMaterial = fetch_places(
      new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking, side: THREE.DoubleSide }),
      uniforms,
    );
    this.group.add(this.mesh);
  }

  /// Less than 1 shows what is inside.
  set_opacity(opacity: number): void {
    this.material.opacity = opacity;
    this.material.transparent = opacity < 1;
    this.material.depthWrite = opacity >= 1;
    this.material.needsUpdate = true;
  }

  /// Made when first asked for: the edges of a large mesh take a while.
  show_edges(on: boolean, colour: number): void {
    if (on && !this.edges) {
      const material = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.22, depthWrite: false });
      material.polygonOffset = true;
      material.polygonOffsetFactor = -1;
      this.edges = new THREE.Mesh(this.geometry, fetch_places(material, this.uniforms));
      this.edges.frustumCulled = false;
      this.edges.renderOrder = 5;
      this.group.add(this.edges);
    }
    if (!this.edges) return;
    this.edges.visible = on;
    (this.edges.material as THREE.MeshBasicMaterial).color.set(colour);
  }

  cast_shadow(on: boolean): void {
    this.mesh.castShadow = on;
  }

  dispose(): void {
    this.material.dispose();
    this.mesh.customDepthMaterial?.dispose();
    (this.edges?.material as THREE.Material | undefined)?.dispose();
  }
}
