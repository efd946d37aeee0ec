// A second viewer, and a server that goes and comes back.
import { claim, until } from '../support/wait.mjs';
import { Viewer } from '../support/viewer.mjs';

export async function second_viewer(browser, viewer) {
  await viewer.calm();
  await viewer.pause(); // two pages that draw all the time leave little for anything else
  const other = await Viewer.open(browser, viewer.address);
  try {
    await other.until('the second one watches', () => pliant.connected && !pliant.driver && !document.querySelector('[data-key="watching"]').hidden);
    await viewer.until('the first one knows of it', () => pliant.clients >= 2);
    await other.send({ type: 'set', stiffness: 7 });
    await other.until('what a watcher asks for is refused', () => pliant.errors.length > 0);
    claim((await viewer.ask(() => pliant.state.stiffness)) === 1, 'a watcher changed the stiffness');
    const seen = await other.ask(() => pliant.frames);
    await viewer.send({ type: 'set', gravity: [0, -9.81, 0] });
    await viewer.send({ type: 'step' });
    await other.until('it sees what the first one does', (before) => pliant.frames > before && pliant.state.gravity[1] < -9, seen);
    await other.page.bringToFront();
    await other.press('wheel');
    await other.until('it has taken the wheel', () => pliant.driver && document.querySelector('[data-key="watching"]').hidden);
    await viewer.until('the first one watches now', () => !pliant.driver && !document.querySelector('[data-key="watching"]').hidden);
    await viewer.page.bringToFront();
    await viewer.press('wheel');
    await viewer.until('and takes it back', () => pliant.driver);
  } finally {
    await other.close();
  }
  await viewer.until('the first one is alone again', () => pliant.driver && pliant.clients <= 1);
}

/// server: one of this test's own; restart: starts another at the same port.
export async function server_goes_and_comes(viewer, server, restart) {
  await server.stop();
  await viewer.until('the page says that the server is gone', () => !pliant.connected && !document.querySelector('[data-key="gone"]').hidden);
  const frames = await viewer.ask(() => pliant.frames);
  const again = await restart();
  try {
    await viewer.until('the page is back', (before) => pliant.connected && document.querySelector('[data-key="gone"]').hidden && pliant.frames > before, frames);
  } finally {
    await until('the server has ended', async () => (await again.stop(), true));
  }
}
