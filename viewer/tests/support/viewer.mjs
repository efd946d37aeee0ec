// A page of the viewer in the browser, and what tests do with it.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { claim, until } from './wait.mjs';

// Small, since the processor draws; just wide enough that the panel stands beside the picture.
export const WINDOW = { width: 760, height: 480 };

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' };

/// The page from a folder (viewer/dist) in place of the one inside the program: for work on the page alone.
async function serve_from(context, folder) {
  await context.route(
    (url) => url.pathname === '/' || url.pathname.startsWith('/assets/'),
    async (route) => {
      const { pathname } = new URL(route.request().url());
      const file = join(folder, pathname === '/' ? 'index.html' : pathname);
      await route.fulfill({ body: await readFile(file), contentType: TYPES[extname(file)] ?? 'application/octet-stream' });
    },
  );
}

export class Viewer {
  static async open(browser, address, options = {}) {
    const context = await browser.newContext({ viewport: WINDOW, hasTouch: true, acceptDownloads: true, ...options });
    if (process.env.PLIANT_PAGE) await serve_from(context, process.env.PLIANT_PAGE);
    const page = await context.newPage();
    page.setDefaultTimeout(150_000);
    const viewer = new Viewer(page, context, address);
    page.on('pageerror', (error) => viewer.page_errors.push(String(error)));
    page.on('console', (message) => {
      // three.js tells of broken shaders on the console.
      if (message.type() === 'error' && /THREE|WebGL|shader/i.test(message.text())) viewer.page_errors.push(message.text());
    });
    await page.goto(`${address}?quality=least`, { timeout: 150_000 });
    await viewer.has_bodies();
    return viewer;
  }

  constructor(page, context, address) {
    this.page = page;
    this.context = context;
    this.address = address;
    this.page_errors = [];
  }

  close() {
    return this.context.close();
  }

  /// f runs in the page; window.pliant is what it looks at.
  ask(f, argument) {
    return this.page.evaluate(f, argument);
  }

  until(what, f, argument) {
    return until(what, () => this.page.evaluate(f, argument), () =>
      this.page.evaluate(() =>
        JSON.stringify({ state: pliant.state, stats: pliant.stats, errors: pliant.errors, frames: pliant.frames, version: pliant.version, connected: pliant.connected }),
      ),
    );
  }

  send(message) {
    return this.page.evaluate((m) => pliant.app.send(m), message);
  }

  async has_bodies() {
    await this.until('the page has a scene and a frame of every body', () => {
      const p = window.pliant;
      return p && p.scene && p.state && p.version === p.scene.version && p.scene.bodies.length > 0 && p.scene.bodies.every((_, b) => p.body(b).frames > 0);
    });
  }

  /// A body at rest and still: no gravity, nothing in its way, nothing switched on. What a test depends on, it resets.
  async calm() {
    await this.page.keyboard.press('Escape');
    await this.ask(() => {
      if (!pliant.driver) pliant.app.send({ type: 'wheel' });
      Object.assign(pliant.show, { edges: false, samples: false, handles: false, held: false, strain: false, ghost_colours: true, ghost_beside: false });
      pliant.app.bodies.restyle();
      pliant.stage.home();
      for (const section of document.querySelectorAll('details')) section.open = false;
    });
    await this.until('this page drives', () => pliant.driver);
    for (const message of [
      { type: 'edit', on: false, body: 0 },
      { type: 'mode' },
      { type: 'ghost', on: false },
      { type: 'set', gravity: [0, 0, 0], stiffness: 1, volume: 1, damping: 2, real_time: true, floor: { on: false, height: -10 }, sphere: { on: false, center: [9, 9, 9], radius: 0.1 } },
      { type: 'pause', on: false },
      { type: 'reset' },
    ]) {
      await this.send(message);
    }
    await this.until('the scene is calm', () => {
      const s = pliant.state;
      return !s.paused && !s.edit && !s.mode && !s.ghost && !s.floor.on && !s.sphere.on && s.gravity[1] === 0 && s.stiffness === 1 && s.real_time;
    });
    await this.until('the body is at rest', () => {
      const now = pliant.readPositions(0), rest = pliant.rest(0), box = pliant.scene.box;
      const size = Math.hypot(...[0, 1, 2].map((i) => box[1][i] - box[0][i]));
      return now.every((x, i) => Math.abs(x - rest[i]) < 2e-3 * size);
    });
    await this.ask(() => (pliant.errors.length = 0));
  }

  async pause() {
    await this.send({ type: 'pause', on: true });
    await this.until('it is paused', () => pliant.state.paused);
  }

  /// A surface point in full view, and where it is seen.
  async visible_point() {
    return this.until('a surface point is in view', () => {
      const x = pliant.readPositions(0);
      const surface = pliant.scene.bodies[0].surface;
      const canvas = document.getElementById('view').getBoundingClientRect();
      const box = pliant.scene.box;
      let best = null;
      // Far from what is held: high up, in the middle of the picture, not under the panel.
      for (let k = 0; k < 60; ++k) {
        const p = Math.floor(((k + 0.5) * surface) / 60);
        const place = [x[3 * p], x[3 * p + 1], x[3 * p + 2]];
        const at = pliant.project(place);
        if (document.elementFromPoint(at.x, at.y)?.id !== 'view') continue;
        const hit = pliant.pick(at.x - canvas.left, at.y - canvas.top);
        if (!hit || hit.point !== p) continue;
        const held = Math.min(...(pliant.heldPoints(0)).map((h) => Math.hypot(place[0] - x[3 * h], place[1] - x[3 * h + 1], place[2] - x[3 * h + 2])), 1e9);
        const score = held < 1e9 ? held : place[1] - box[0][1];
        if (!best || score > best.score) best = { point: p, place, at, score };
      }
      return best;
    });
  }

  async positions_of(point) {
    return this.ask((p) => pliant.readPositions(0).slice(3 * p, 3 * p + 3), point);
  }

  async open_section(key) {
    await this.ask((k) => {
      document.querySelector('#panel').classList.remove('folded');
      const section = document.querySelector(`[data-section="${k}"]`);
      section.open = true;
      section.scrollIntoView({ block: 'start' });
    }, key);
  }

  /// Types a number into a field of the panel.
  async type(key, text) {
    const field = this.page.locator(`[data-field="${key}"]`);
    await field.fill(text);
    await field.press('Enter');
  }

  async toggle(key, on) {
    const box = this.page.locator(`input[data-key="${key}"]`);
    if ((await box.isChecked()) !== on) await box.click({ force: true });
  }

  async press(key) {
    await this.page.locator(`[data-key="${key}"]`).click();
  }

  /// The largest difference of decoded positions and the server's own, over the diagonal of the box; of a paused body.
  async decoding_error() {
    return this.ask(async () => {
      const box = pliant.scene.box;
      const size = Math.hypot(...[0, 1, 2].map((i) => box[1][i] - box[0][i]));
      const points = pliant.scene.bodies[0].points;
      const decoded = pliant.readPositions(0);
      let largest = 0;
      let moved = 0;
      const rest = pliant.rest(0);
      for (let begin = 0; begin < points; begin += 1000) {
        const ids = Array.from({ length: Math.min(1000, points - begin) }, (_, i) => begin + i);
        const answer = await pliant.serverPositions(0, ids);
        if (answer.version !== pliant.version) throw new Error('another scene came in between');
        answer.values.flat().forEach((value, i) => {
          largest = Math.max(largest, Math.abs(value - decoded[3 * begin + i]));
          moved = Math.max(moved, Math.abs(value - rest[3 * begin + i]));
        });
      }
      return { error: largest / size, moved: moved / size, points };
    });
  }

  no_page_errors() {
    claim(this.page_errors.length === 0, `errors in the page: ${this.page_errors.join(' | ').slice(0, 2000)}`);
  }
}
