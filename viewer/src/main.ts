// Joins the parts: what the server says goes to all of them, what they ask for goes to the server.
import './style.css';
import * as THREE from 'three';
import type { App, Part } from './app';
import { EditMode } from './interact/edit_mode';
import { listen_to_keys, type KeyAction } from './interact/keys';
import { listen_to_drops, open_file } from './interact/opening';
import { PointerActions } from './interact/pointer';
import { Connection, server_address } from './net/connection';
import { parse_frame } from './net/frame';
import type { SceneMessage, ServerMessage, Settings, StateMessage } from './net/protocol';
import { make_banner } from './panel/banner';
import { Help } from './panel/help';
import { Notices } from './panel/notices';
import { Panel } from './panel/panel';
import { make_transport } from './panel/transport';
import { save_picture } from './record/page_recorder';
import { Bodies } from './scene/bodies';
import { SphereView } from './scene/sphere_view';
import { Stage } from './scene/stage';
import { expose } from './test_api';
import { ThemeChoice } from './theme';

const root = document.getElementById('app')!;
const notices = new Notices(root);

function start(): void {
  const stage = new Stage(document.getElementById('view') as HTMLCanvasElement);
  const bodies = new Bodies(stage);
  const sphere = new SphereView();
  stage.scene.add(sphere.mesh);
  let gathered: Settings | null = null;

  const app: App = {
    stage,
    bodies,
    scene: null,
    state: null,
    stats: null,
    shapes: [],
    driver: false,
    clients: 1,
    connected: false,
    pull_strength: 2,
    body: 0,
    errors: [],
    send: (message) => connection.send(message),
    set(settings) {
      if (!gathered) {
        requestAnimationFrame(() => {
          connection.send({ type: 'set', ...gathered });
          gathered = null;
        });
      }
      gathered = { ...gathered, ...settings };
    },
    choose_body(body) {
      app.body = body;
      if (app.scene) tell((part) => part.scene?.(app.scene!));
      if (app.state) tell((part) => part.state?.(app.state!));
    },
    open: (file) => open_file(file).catch((error: Error) => app.error(error.message)),
    error(sentence) {
      app.errors.push(sentence);
      notices.error(sentence);
    },
    notice: (sentence) => notices.notice(sentence),
  };

  // === The parts
  const edit = new EditMode(app);
  const pointer = new PointerActions(stage, bodies, sphere, {
    send: app.send,
    sphere: () => app.state?.sphere ?? null,
    move_sphere(center) {
      if (!app.state) return;
      app.state.sphere = { ...app.state.sphere, center };
      sphere.place(app.state.sphere);
      app.set({ sphere: app.state.sphere });
    },
    strength: () => app.pull_strength,
    tool: (event) => edit.pointer_down(event),
    may_pull: () => !edit.on && app.driver,
  });
  const theme = new ThemeChoice((value) => {
    stage.set_theme(value);
    sphere.paint(stage.palette);
    bodies.restyle();
  });
  const actions: KeyAction[] = [
    { keys: [' '], shown: 'Space', does: 'pause, go on', act: () => app.send({ type: 'pause', on: !app.state?.paused }) },
    { keys: ['.'], shown: '.', does: 'one step', act: () => app.send({ type: 'step' }) },
    { keys: ['r', 'R'], shown: 'r', does: 'reset', act: () => app.send({ type: 'reset' }) },
    { keys: ['h', 'H'], shown: 'h', does: 'the first view', act: () => stage.home() },
    { keys: ['w', 'W'], shown: 'w', does: 'wireframe', act: () => toggle_edges() },
    { keys: ['s', 'S'], shown: 's', does: 'save a picture', act: () => save_picture(stage, `${app.scene?.title || 'pliant'}.png`) },
    { keys: ['t', 'T'], shown: 't', does: 'light or dark', act: () => theme.toggle() },
    { keys: ['p', 'P'], shown: 'p', does: 'fold the panel', act: () => panel.fold() },
    { keys: ['?'], shown: '?', does: 'this sheet', act: () => help.toggle() },
  ];
  const help = new Help(root, actions);
  const panel = new Panel(app, edit, root, { toggle_theme: () => theme.toggle(), show_help: () => help.toggle() });
  const parts: Part[] = [panel, ...panel.parts, edit, make_transport(app, root), make_banner(app, root)];
  const tell = (call: (part: Part) => void) => parts.forEach(call);
  const api = expose(app, pointer, edit);
  listen_to_keys(actions);
  listen_to_drops(document.getElementById('drop')!, (file) => app.open(file));
  const toggle_edges = () => {
    bodies.show.edges = !bodies.show.edges;
    bodies.restyle();
    panel.look.refresh();
  };

  // === The server
  const take_scene = async (scene: SceneMessage) => {
    try {
      if (!(await bodies.load(scene))) return;
    } catch (error) {
      app.error((error as Error).message);
      return;
    }
    pointer.release_all();
    app.scene = scene;
    app.body = Math.min(app.body, Math.max(scene.bodies.length - 1, 0));
    stage.fit(view_box(scene, app.state));
    if (app.state) stage.ground.place(app.state.floor);
    tell((part) => part.scene?.(scene));
    if (app.state) tell((part) => part.state?.(app.state!));
  };

  const take = (message: ServerMessage) => {
    switch (message.type) {
      case 'hello':
        app.driver = message.driver;
        app.shapes = message.shapes ?? [];
        tell((part) => part.connection?.());
        break;
      case 'driver':
        app.driver = message.driver;
        app.clients = message.clients;
        if (!app.driver) pointer.release_all();
        tell((part) => part.connection?.());
        break;
      case 'scene':
        void take_scene(message);
        break;
      case 'state':
        // A sphere that is being dragged here is where it is here.
        if (pointer.drags_sphere && app.state) message.sphere = { ...message.sphere, center: app.state.sphere.center };
        app.state = message;
        stage.ground.place(message.floor);
        sphere.place(message.sphere);
        stage.invalidate();
        tell((part) => part.state?.(message));
        break;
      case 'stats':
        app.stats = message;
        tell((part) => part.stats?.(message));
        break;
      case 'positions':
        api.answered(message);
        break;
      case 'error':
        app.error(message.message);
        break;
      case 'notice':
        app.notice(message.message);
        break;
      default:
        tell((part) => part.message?.(message));
    }
  };

  const connection = new Connection(server_address(window.location), {
    opened() {
      app.connected = true;
      tell((part) => part.connection?.());
    },
    closed(reason) {
      if (app.connected && reason) app.error(`The server closed the connection: ${reason}`);
      app.connected = false;
      pointer.release_all();
      tell((part) => part.connection?.());
    },
    message: take,
    binary: (bytes) => {
      try {
        bodies.take(parse_frame(bytes));
      } catch (error) {
        app.error((error as Error).message);
      }
    },
  });
}

/// The scene's box, and the floor below it where that is near enough to be seen: bodies fall.
function view_box(scene: SceneMessage, state: StateMessage | null): [THREE.Vector3, THREE.Vector3] {
  const [low, high] = scene.box.map((corner) => new THREE.Vector3(...corner));
  const height = state?.floor.on ? state.floor.height : low.y;
  if (height < low.y && low.y - height < 2 * low.distanceTo(high)) low.y = height;
  return [low, high];
}

try {
  start();
} catch (error) {
  notices.error((error as Error).message);
}
