// Recording by the server and by the page.
import { readFile } from 'node:fs/promises';
import { claim } from '../support/wait.mjs';

async function page_records(viewer, key, is_right) {
  await viewer.calm();
  await viewer.open_section('record');
  await viewer.press(key);
  const drawn = await viewer.ask(() => pliant.drawn);
  await viewer.send({ type: 'set', gravity: [0, -9.81, 0] });
  await viewer.until('some pictures were drawn', (before) => {
    pliant.stage.invalidate();
    return pliant.drawn > before + 3;
  }, drawn);
  const [download] = await Promise.all([viewer.page.waitForEvent('download'), viewer.press(key)]);
  const bytes = await readFile(await download.path());
  claim(is_right(bytes), `${download.suggestedFilename()}: ${bytes.length} bytes that are not such a file`);
}

export default [
  [
    'the server records, and its files can be fetched',
    async (viewer) => {
      await viewer.calm();
      await viewer.send({ type: 'set', gravity: [0, -9.81, 0] });
      await viewer.open_section('record');
      await viewer.press('record');
      await viewer.until('frames are recorded', () => pliant.state.recording && pliant.state.recorded_frames >= 3);
      await viewer.press('record');
      await viewer.until('files are offered', () => document.querySelectorAll('[data-key="files"] a').length > 0);
      const magic = await viewer.ask(async () => {
        const link = [...document.querySelectorAll('[data-key="files"] a')].find((a) => a.getAttribute('href').endsWith('.glb'));
        const bytes = new Uint8Array(await (await fetch(link.getAttribute('href'))).arrayBuffer());
        return String.fromCharCode(...bytes.subarray(0, 4));
      });
      claim(magic === 'glTF', `the .glb begins with ${magic}`);
    },
  ],
  ['the page records pictures', (viewer) => page_records(viewer, 'record_pictures', (b) => b.readUInt32LE(0) === 0x04034b50 && b.includes('.png'))],
  ['the page records a film', (viewer) => page_records(viewer, 'record_film', (b) => b.readUInt32BE(0) === 0x1a45dfa3)],
];
