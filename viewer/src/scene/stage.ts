// Renderer, camera, light and ground; draws when something has changed and not otherwise.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { choose_quality } from '../gpu/quality';
import { Backdrop } from './backdrop';
import { Ground } from './ground';
import { Lights } from './lights';
import { PALETTES, type Palette, type Theme } from './palette';

const FIELD_OF_VIEW = 32;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  private readonly backdrop = new Backdrop();
  private readonly lights: Lights;
  palette: Palette = PALETTES.light;
  size = 1; // diagonal of the scene's box
  frames_drawn = 0;
  /// Called before a picture is drawn: decoders run here.
  before_drawing: (() => void)[] = [];
  /// Called after it, with the canvas still holding the picture.
  after_drawing: (() => void)[] = [];
  private asked = false;
  private box: [THREE.Vector3, THREE.Vector3] | null = null;
  private covered = { right: 0, bottom: 0 }; // pixels that the panel hides

  constructor(readonly canvas: HTMLCanvasElement) {
    const quality = choose_quality();
    this.lights = new Lights(quality);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: quality.antialias, powerPreference: 'high-performance' });
    if (!this.renderer.extensions.has('EXT_color_buffer_float')) {
      throw new Error('This browser cannot draw into float textures (EXT_color_buffer_float), which the decoder needs.');
    }
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, quality.most_pixels));
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.VSMShadowMap;
    this.scene.add(this.backdrop.mesh, this.lights.group, this.ground.group);

    this.camera.position.set(1, 0.6, 2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomSpeed = 0.9;
    this.controls.maxPolarAngle = 0.98 * Math.PI;
    this.controls.addEventListener('change', () => this.invalidate());
    // Tables live on the GPU alone; after a loss they are fetched again with everything else.
    canvas.addEventListener('webglcontextrestored', () => window.location.reload());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  /// Asks for a picture at the next occasion.
  invalidate(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.controls.update(); // asks for the next picture itself while the view glides
      this.draw();
    });
  }

  draw(): void {
    for (const call of this.before_drawing) call();
    this.renderer.render(this.scene, this.camera);
    this.frames_drawn++;
    for (const call of this.after_drawing) call();
  }

  set_theme(theme: Theme): void {
    this.palette = PALETTES[theme];
    this.backdrop.paint(this.palette);
    this.ground.paint(this.palette);
    this.lights.paint(this.palette);
    this.invalidate();
  }

  /// The first scene places the camera; later ones only where they differ in size, so that a rebuild does not jump.
  fit(box: [THREE.Vector3, THREE.Vector3]): void {
    const [low, high] = box;
    const size = Math.max(low.distanceTo(high), 1e-6);
    const jump = !this.box || Math.abs(size / this.size - 1) > 0.2;
    this.size = size;
    this.box = box;
    this.ground.fit(low, high);
    this.lights.fit(low, high);
    this.camera.near = 0.01 * size;
    this.camera.far = 60 * size;
    this.controls.minDistance = 0.1 * size;
    this.controls.maxDistance = 12 * size;
    if (jump) this.look_from_afar(low, high);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  /// Back to the first view; with room for something that stands `beside` (metres along x).
  home(beside = 0): void {
    if (!this.box) return;
    const [low, high] = this.box.map((corner) => corner.clone());
    if (beside < 0) low.x += beside;
    else high.x += beside;
    this.look_from_afar(low, high);
    this.controls.update();
    this.invalidate();
  }

  private look_from_afar(low: THREE.Vector3, high: THREE.Vector3): void {
    const centre = low.clone().add(high).multiplyScalar(0.5);
    // Far enough that the box fits into the narrower side of what the panel leaves free, with room to move.
    const { clientWidth, clientHeight } = this.canvas;
    const half = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * Math.min(1, (clientWidth - this.covered.right) / clientHeight);
    const away = (0.5 * low.distanceTo(high) * 1.12) / half;
    // What is left of the last turn's swing is spent first.
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(new THREE.Vector3(0.46, 0.32, 1).normalize(), away);
  }

  /// The panel lies over the right edge or the foot; the middle of the picture moves to the middle of what is left.
  cover(right: number, bottom: number): void {
    this.covered = { right, bottom };
    this.resize();
  }

  /// Where a point of the world is seen, in pixels of the canvas.
  project(place: THREE.Vector3): { x: number; y: number } {
    this.camera.updateMatrixWorld();
    const at = place.clone().project(this.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return { x: 0.5 * (at.x + 1) * clientWidth, y: 0.5 * (1 - at.y) * clientHeight };
  }

  /// The ray through a pixel of the canvas.
  ray(x: number, y: number): THREE.Ray {
    const caster = new THREE.Raycaster();
    const { clientWidth, clientHeight } = this.canvas;
    this.camera.updateMatrixWorld();
    caster.setFromCamera(new THREE.Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.camera);
    return caster.ray;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, true);
    this.camera.aspect = clientWidth / clientHeight;
    const { right, bottom } = this.covered;
    if (right > 0 || bottom > 0) {
      this.camera.setViewOffset(clientWidth, clientHeight, 0.5 * right, 0.5 * bottom, clientWidth, clientHeight);
    } else {
      this.camera.clearViewOffset();
    }
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
}
