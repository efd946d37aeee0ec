// What is shown: strain, samples, handles, wireframe; themes; the sheet of keys; pictures.
import { Viewer } from '../support/viewer.mjs';
import { claim, until } from '../support/wait.mjs';

/// Nothing moves, so that nothing but what a test changes is drawn.
async function stand_still(viewer) {
  await viewer.calm();
  await viewer.pause();
}

const colour_changes = async (viewer, what, act) => {
  const before = await viewer.ask(() => pliant.meanColour());
  await act();
  await until(`${what} changes the picture`, async () => {
    const after = await viewer.ask(() => pliant.meanColour());
    return Math.max(...after.map((v, i) => Math.abs(v - before[i]))) > 0.05;
  });
};

export default [
  [
    'the picture has the body in it',
    async (viewer) => {
      await stand_still(viewer);
      // The body is what differs between a picture with and one without it.
      await colour_changes(viewer, 'hiding the body', () => viewer.ask(() => (pliant.app.bodies.views[0].group.visible = false)));
      await viewer.ask(() => (pliant.app.bodies.views[0].group.visible = true));
    },
  ],
  ...['strain', 'edges', 'samples', 'handles', 'held'].map((key) => [
    `show ${key}`,
    async (viewer) => {
      await stand_still(viewer);
      await viewer.open_section('look');
      if (!(await viewer.page.locator(`input[data-key="show.${key}"]`).count())) return;
      if (await viewer.ask((k) => document.querySelector(`input[data-key="show.${k}"]`).closest('.row').hidden, key)) return;
      await colour_changes(viewer, key, () => viewer.toggle(`show.${key}`, true));
      claim(await viewer.ask((k) => pliant.show[k], key), `${key} is not shown`);
      await viewer.toggle(`show.${key}`, false);
      await viewer.until(`${key} is off`, (k) => !pliant.show[k], key);
    },
  ]),
  [
    'w is the wireframe, ? the sheet of keys',
    async (viewer) => {
      await stand_still(viewer);
      await viewer.page.keyboard.press('w');
      await viewer.until('the wireframe is on', () => pliant.show.edges);
      await viewer.page.keyboard.press('w');
      await viewer.until('the wireframe is off', () => !pliant.show.edges);
      await viewer.page.keyboard.press('?');
      await viewer.until('the sheet is open', () => document.getElementById('help').open);
      await viewer.page.keyboard.press('Escape');
      await viewer.until('the sheet is closed', () => !document.getElementById('help').open);
    },
  ],
  [
    'the theme follows the system, and can be chosen',
    async (viewer) => {
      await stand_still(viewer);
      const theme = () => viewer.ask(() => document.documentElement.dataset.theme);
      await viewer.page.emulateMedia({ colorScheme: 'light' });
      await until('it is light', async () => (await theme()) === 'light');
      const light = await viewer.ask(() => pliant.meanColour());
      await viewer.page.emulateMedia({ colorScheme: 'dark' });
      await until('it is dark', async () => (await theme()) === 'dark');
      const dark = await viewer.ask(() => pliant.meanColour());
      claim(dark[1] < 0.6 * light[1], `dark is ${dark} and light ${light}`);
      await viewer.press('theme');
      await until('it is light by choice', async () => (await theme()) === 'light');
      await viewer.press('theme');
      await until('it is dark again', async () => (await theme()) === 'dark');
      await viewer.page.emulateMedia({ colorScheme: 'light' });
      await until('it follows the system again', async () => (await theme()) === 'light');
    },
  ],
  [
    'the panel folds, and numbers appear in it',
    async (viewer) => {
      await viewer.calm();
      await viewer.press('fold');
      await viewer.until('it is folded', () => document.getElementById('panel').classList.contains('folded'));
      await viewer.press('fold');
      await viewer.until('it is open', () => !document.getElementById('panel').classList.contains('folded'));
      await viewer.open_section('numbers');
      await viewer.until('phases are named', () => document.querySelectorAll('[data-section="numbers"] .legend span').length > 1);
      await viewer.toggle('show.energy', true);
      await viewer.until('energies come', () => pliant.stats.energy !== null && Number.isFinite(pliant.stats.energy.kinetic));
      await viewer.toggle('show.energy', false);
    },
  ],
  [
    'on a phone the panel is a sheet at the foot, folded until it is asked for',
    async (viewer) => {
      await stand_still(viewer);
      const phone = await Viewer.open(viewer.context.browser(), viewer.address, { viewport: { width: 390, height: 640 }, isMobile: true });
      try {
        await phone.until('it is folded', () => document.getElementById('panel').classList.contains('folded'));
        await phone.press('fold');
        await phone.until('it covers the foot', () => {
          const box = document.getElementById('panel').getBoundingClientRect();
          return box.height > 150 && box.bottom <= innerHeight && box.width > innerWidth - 40;
        });
        phone.no_page_errors();
      } finally {
        await phone.close();
        await viewer.page.bringToFront();
      }
    },
  ],
  [
    's saves a picture',
    async (viewer) => {
      await stand_still(viewer);
      const [download] = await Promise.all([viewer.page.waitForEvent('download'), viewer.page.keyboard.press('s')]);
      claim(download.suggestedFilename().endsWith('.png'), `the file is ${download.suggestedFilename()}`);
    },
  ],
];
