// Bundles the unit tests with esbuild (which Vite brings) and runs them with node's own runner.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SKIPPED = 77;
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = await import('esbuild').catch(() => null);
if (!esbuild) {
  console.log('skipped: esbuild is missing; run npm ci in viewer/');
  process.exit(SKIPPED);
}
const out = join(here, 'out', 'unit');
rmSync(out, { recursive: true, force: true });
await esbuild.build({
  entryPoints: readdirSync(join(here, 'unit')).map((name) => join(here, 'unit', name)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  outdir: out,
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});
const files = readdirSync(out).map((name) => join(out, name));
process.exit(spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1);
