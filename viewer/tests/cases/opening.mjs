// Meshes dropped on the page, good and broken; shapes of the program; the scene they replace comes back.
import { claim } from '../support/wait.mjs';

/// A cube of n x n squares a side, as .obj.
function cube(n) {
  const ids = new Map();
  const lines = [];
  const faces = [];
  const id = (p) => {
    const key = p.join(' ');
    if (!ids.has(key)) {
      ids.set(key, ids.size + 1);
      lines.push(`v ${p.map((v) => v / n).join(' ')}`);
    }
    return ids.get(key);
  };
  for (let axis = 0; axis < 3; ++axis) {
    for (const side of [0, n]) {
      for (let i = 0; i < n; ++i) {
        for (let j = 0; j < n; ++j) {
          const at = (a, b) => {
            const p = [0, 0, 0];
            p[axis] = side;
            p[(axis + 1) % 3] = a;
            p[(axis + 2) % 3] = b;
            return id(p);
          };
          const quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
          faces.push(`f ${(side === 0 ? quad.reverse() : quad).join(' ')}`);
        }
      }
    }
  }
  return [...lines, ...faces, ''].join('\n');
}

function drop(viewer, name, text) {
  return viewer.ask(
    ([n, t]) => {
      const data = new DataTransfer();
      data.items.add(new File([t], n));
      for (const type of ['dragenter', 'dragover', 'drop']) {
        window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    },
    [name, text],
  );
}

const replaced = (viewer, version) =>
  viewer.until('another scene is shown', (v) => pliant.version > v && pliant.scene.version === pliant.version && pliant.body(0)?.frames > 0, version);

export default [
  [
    'a broken mesh gets a sentence, and the scene stays',
    async (viewer) => {
      await viewer.calm();
      const version = await viewer.ask(() => pliant.version);
      await drop(viewer, 'broken.obj', 'v 0 0\nf 1 2 zebra\n');
      await viewer.until('there is an error', () => document.querySelectorAll('#notices .error').length > 0 && pliant.errors.length > 0);
      claim((await viewer.ask(() => pliant.version)) === version, 'a broken mesh replaced the scene');
      await viewer.page.locator('#notices .error button').first().click();
      await viewer.until('the error is dismissed', () => document.querySelectorAll('#notices .error').length === 0);
    },
  ],
  [
    'a mesh dropped on the page becomes the scene',
    async (viewer) => {
      await viewer.calm();
      const version = await viewer.ask(() => pliant.version);
      await drop(viewer, 'cube.obj', cube(6));
      await replaced(viewer, version);
      claim((await viewer.ask(() => pliant.scene.bodies[0].surface)) === 218, 'the mesh on the page is not the one that was dropped');
      await viewer.no_page_errors();
    },
  ],
  [
    'a shape of the program becomes the scene',
    async (viewer) => {
      await viewer.open_section('body');
      const version = await viewer.ask(() => pliant.version);
      claim((await viewer.ask(() => pliant.app.shapes.length)) > 0, 'the server names no shapes');
      const shape = await viewer.ask(() => pliant.app.shapes.find((s) => s === 'bar') ?? pliant.app.shapes[0]);
      await viewer.page.locator('[data-key="shape"]').selectOption(shape);
      await replaced(viewer, version);
    },
  ],
];
