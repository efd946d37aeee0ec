// pliant view, started for the tests and ended with them.
import { spawn } from 'node:child_process';

const running = new Set();

/// Starts `pliant view <args>` and resolves to its address once it is listening.
export function start_server(program, args, port = 0) {
  const child = spawn(program, ['view', ...args, '--port', String(port), '--no-browser', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let out = '';
  let err = '';
  child.stderr.on('data', (data) => (err += data));
  const exited = new Promise((resolve) => child.on('exit', resolve));
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server did not start within 240 s: ${out}${err}`)), 240_000);
    child.stdout.on('data', (data) => {
      out += data;
      const address = /"url"\s*:\s*"([^"]+)"/.exec(out)?.[1];
      if (address) {
        clearTimeout(late);
        resolve({
          address,
          port: Number(new URL(address).port),
          stop: async () => {
            running.delete(child);
            child.kill('SIGTERM');
            await exited;
          },
        });
      }
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      running.delete(child);
      clearTimeout(late);
      reject(new Error(`the server ended with ${code}: ${out}${err}`));
    });
  });
}

export function stop_all_servers() {
  for (const child of running) child.kill('SIGKILL');
}
