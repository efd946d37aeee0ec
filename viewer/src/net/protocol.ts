// What server and page say to each other, as JSON; docs/protocol.md has it in words.

export type Vec3 = [number, number, number];

export interface Parameter {
  key: string;
  label: string;
  value: number | string;
  minimum?: number;
  maximum?: number;
  kind: 'int' | 'number' | 'choice';
  choices?: string[];
}

export type Decode = 'skinning' | 'dense' | 'positions';

export interface BodyInfo {
  name: string;
  method: string;
  decode: Decode;
  vertices: number;
  tets: number;
  points: number;
  surface: number;
  triangles: number;
  dofs: number;
  shell: boolean;
  can_change_volume: boolean;
  has_iterations: boolean;
  data: string;
  fixed: number;
  handles: number;
  samples: number;
  modes: number;
  mode_frequencies: number[];
  measured: Record<string, number>;
  editable: boolean;
  methods: Record<string, { parameters: Parameter[] }>;
  can_rebuild: boolean;
}

export interface SceneMessage {
  type: 'scene';
  version: number;
  title: string;
  bodies: BodyInfo[];
  box: [Vec3, Vec3];
}

export interface SphereState {
  on: boolean;
  center: Vec3;
  radius: number;
}

export interface StateMessage {
  type: 'state';
  paused: boolean;
  stiffness: number;
  volume: number;
  gravity: Vec3;
  damping: number;
  time_step: number;
  iterations: number;
  real_time: boolean;
  floor: { on: boolean; height: number };
  sphere: SphereState;
  obstacles: number;
  ghost: boolean;
  mode: { body: number; index: number; amplitude: number } | null;
  edit: { body: number } | null;
  recording: boolean;
  recorded_frames: number;
}

export interface StatsMessage {
  type: 'stats';
  time: number;
  step: number;
  steps_per_s: number;
  possible_steps_per_s: number;
  step_us: number;
  phases: Record<string, number>;
  energy: { kinetic: number; elastic: number; gravitational: number } | null;
  iterations: number;
  residual: number;
  converged: boolean;
  contacts: number | null;
  ghost_error: { mean: number; largest: number } | null;
}

export interface PositionsMessage {
  type: 'positions';
  body: number;
  version: number;
  time: number;
  step: number;
  values: number[];
}

export type ServerMessage =
  | { type: 'hello'; protocol: number; client: number; driver: boolean; shapes?: string[] }
  | { type: 'driver'; driver: boolean; clients: number }
  | SceneMessage
  | StateMessage
  | StatsMessage
  | PositionsMessage
  | { type: 'modes'; body: number; frequencies: number[] }
  | { type: 'progress'; what: string; part: number; done: boolean }
  | { type: 'error'; message: string }
  | { type: 'notice'; message: string }
  | { type: 'recorded'; frames: number; seconds: number; files: string[] }
  | { type: 'pose'; body?: number; iterations: number; milliseconds: number; handle_error: number; converged: boolean };

export interface Settings {
  stiffness?: number;
  volume?: number;
  gravity?: Vec3;
  damping?: number;
  time_step?: number;
  iterations?: number;
  real_time?: boolean;
  floor?: { on: boolean; height: number };
  sphere?: SphereState;
}

export interface EditHandle {
  points: number[];
  translation: Vec3;
  rotation: Vec3; // axis times angle
}

export type ClientMessage =
  | { type: 'wheel' }
  | { type: 'pause'; on: boolean }
  | { type: 'step' }
  | { type: 'reset' }
  | { type: 'pull'; body: number; point: number; target: Vec3; strength?: number; id?: number }
  | { type: 'release'; id?: number }
  | ({ type: 'set' } & Settings)
  | { type: 'rebuild'; body: number; method: string; parameters: Record<string, number | string> }
  | { type: 'ghost'; on: boolean }
  | { type: 'show'; energy: boolean }
  | { type: 'mode'; body?: number; index?: number; amplitude?: number }
  | { type: 'record'; on: boolean }
  | { type: 'edit'; on: boolean; body: number }
  | { type: 'edit_handles'; handles: EditHandle[] }
  | { type: 'edit_move'; handle: number; translation: Vec3; rotation: Vec3 }
  | { type: 'positions'; body: number; points: number[] }
  | { type: 'open'; shape: string };

/// The largest text message that the server takes, in bytes.
export const LARGEST_MESSAGE = 64 * 1024;
