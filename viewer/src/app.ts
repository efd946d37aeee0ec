// What the page knows, and how its parts ask for something. One object, handed to every part.
import type { ClientMessage, SceneMessage, Settings, StateMessage, StatsMessage, ServerMessage } from './net/protocol';
import type { Bodies } from './scene/bodies';
import type { Stage } from './scene/stage';

export interface App {
  stage: Stage;
  bodies: Bodies;
  scene: SceneMessage | null;
  state: StateMessage | null;
  stats: StatsMessage | null;
  shapes: string[];
  driver: boolean;
  clients: number;
  connected: boolean;
  body: number; // the one that method, modes and editing are about
  errors: string[];
  send(message: ClientMessage): void;
  /// Changes of settings, gathered and sent once a picture.
  set(settings: Settings): void;
  choose_body(body: number): void;
  open(file: File): void;
  error(sentence: string): void;
  notice(sentence: string): void;
}

/// A part of the page that listens. All calls are optional; `refresh` follows any of them that changed something.
export interface Part {
  scene?(scene: SceneMessage): void;
  state?(state: StateMessage): void;
  stats?(stats: StatsMessage): void;
  message?(message: ServerMessage): void;
  connection?(): void; // connected, gone, or another driver
}
