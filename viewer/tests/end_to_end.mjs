// The viewer as a person meets it: a real browser, a real server, no network beside.
//   node tests/end_to_end.mjs [path of pliant] [expression for names of tests]
//   PLIANT_PAGE=dist node tests/end_to_end.mjs ...    the page of a folder in place of the one inside the program
// Ends with 77 (skipped) and a sentence where there is no browser, no program or no page in it.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import controls from './cases/controls.mjs';
import { second_viewer, server_goes_and_comes } from './cases/connection.mjs';
import { normals_are_the_positions, positions_are_the_servers } from './cases/decoding.mjs';
import editing from './cases/editing.mjs';
import looks from './cases/looks.mjs';
import models, { ghost } from './cases/models.mjs';
import opening from './cases/opening.mjs';
import pulling from './cases/pulling.mjs';
import recording from './cases/recording.mjs';
import { start_server, stop_all_servers } from './support/server.mjs';
import { Viewer } from './support/viewer.mjs';

const SKIPPED = 77;
const here = dirname(fileURLToPath(import.meta.url));
const program = process.argv[2] ?? join(here, '../../build/bin/pliant');
const only = new RegExp(process.argv[3] ?? '');

function skip(sentence) {
  console.log(`skipped: ${sentence}`);
  process.exit(SKIPPED);
}

const chromium_path = [process.env.PLIANT_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
if (!chromium_path) skip('no Chromium; install the package chromium, or set PLIANT_CHROMIUM');
if (!existsSync(program)) skip(`${program} is missing; build the program first`);
const playwright = await import('playwright-core').catch(() => null);
if (!playwright) skip('playwright-core is missing; run npm ci in viewer/');

// Small bodies: the pictures are drawn by the processor, and there may be little of it.
const REDUCED = ['cactus', '--tets', '2500', '--fix-lowest', '0.08', '--handles', '20', '--samples', '200', '--fitted-handles', '12'];
const TINY = ['bar', '--tets', '200', '--fix-lowest', '0.3', '--handles', '6', '--samples', '60', '--fitted-handles', '4'];
const FULL = {
  title: 'in full',
  bodies: [
    {
      name: 'bar',
      shape: { name: 'bar', tets: 1500 },
      material: { kind: 'corotated', young: 1e5, poisson: 0.4 },
      fixed: [{ box: { low: [0, 0, 0], high: [0.05, 1, 1] }, relative: true }],
      simulator: { kind: 'projective_dynamics' },
    },
  ],
};

const scratch = await mkdtemp(join(tmpdir(), 'pliant-viewer-'));
const full_scene = join(scratch, 'full.json');
await writeFile(full_scene, JSON.stringify(FULL));
const pictures = join(here, 'out');
await mkdir(pictures, { recursive: true });

const browser = await playwright.chromium.launch({
  executablePath: chromium_path,
  args: [
    // A page from a folder does not count as one from this machine, and could not reach the server.
    ...(process.env.PLIANT_PAGE ? ['--disable-features=LocalNetworkAccessChecks'] : []),
    '--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--disable-dev-shm-usage',
  ],
  timeout: 180_000,
});
const failures = [];
let passed = 0;

/// Runs the tests of one server, each in the page that the one before left, or a new one where that one failed.
async function run_tests(args, tests) {
  const chosen = tests.filter(([name]) => only.test(name));
  if (chosen.length === 0) return;
  const server = await start_server(program, args);
  const page = await (await fetch(server.address)).text();
  if (!page.includes('id="app"') && !process.env.PLIANT_PAGE) {
    await server.stop();
    await finish();
    skip('the program has no page in it; run npm run build in viewer/, then build the program again');
  }
  let viewer = null;
  for (const [name, test] of chosen) {
    const begin = Date.now();
    try {
      viewer ??= await Viewer.open(browser, server.address);
      await test(viewer, server);
      viewer.no_page_errors();
      passed++;
      console.log(`ok      ${name}  (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures.push(name);
      console.log(`FAILED  ${name}\n        ${error.stack ?? error}`);
      await viewer?.page.screenshot({ path: join(pictures, `${name.replace(/\W+/g, '_')}.png`), timeout: 20_000 }).catch(() => {});
      await viewer?.close().catch(() => {});
      viewer = null;
    }
  }
  await viewer?.close();
  await server.stop();
}

async function finish() {
  await browser.close().catch(() => {});
  stop_all_servers();
  await rm(scratch, { recursive: true, force: true });
}

try {
  await run_tests(REDUCED, [
    ...pulling,
    ...controls,
    positions_are_the_servers('skinning'),
    normals_are_the_positions,
    ...looks,
    ...recording,
    ...editing,
    ['a second viewer watches, and takes the wheel', (viewer) => second_viewer(browser, viewer)],
    ...models,
  ]);
  await run_tests([full_scene], [positions_are_the_servers('positions'), normals_are_the_positions]);
  await run_tests(TINY, [
    ghost,
    ...opening,
    [
      'the server goes and comes back',
      (viewer, server) => server_goes_and_comes(viewer, server, () => start_server(program, TINY, server.port)),
    ],
  ]);
} catch (error) {
  failures.push(String(error.stack ?? error));
  console.log(`FAILED  ${error.stack ?? error}`);
} finally {
  await finish();
}
console.log(`${passed} passed, ${failures.length} failed${failures.length > 0 ? `: ${failures.join('; ')}` : ''}`);
process.exit(failures.length > 0 ? 1 : 0);
