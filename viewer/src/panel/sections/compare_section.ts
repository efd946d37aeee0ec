// The full simulation of the same body beside the reduced one, and how far they are apart.
import type { App, Part } from '../../app';
import { format_percent } from '../../data/format';
import { GHOST_PLACE } from '../../scene/body_view';
import type { StateMessage, StatsMessage } from '../../net/protocol';
import { el } from '../dom';
import { fill_table, hint, section, segments, toggle } from '../widgets';

const SCALES = [0.003, 0.01, 0.03, 0.1, 0.3, 1]; // distances of the last colour, of the box

export function make_compare_section(app: App): Part & { element: HTMLElement } {
  const on = toggle({ key: 'ghost', label: 'Ghost of the full simulation', change: (value) => app.send({ type: 'ghost', on: value }) });
  const where = segments({
    key: 'ghost_place',
    label: 'Ghost',
    choices: [
      ['over', 'Over'],
      ['beside', 'Beside'],
    ],
    change: (value) => {
      app.bodies.show.ghost_beside = value === 'beside';
      app.bodies.restyle();
      app.stage.home(value === 'beside' ? GHOST_PLACE * Math.max(...app.bodies.views.map((view) => view.width)) : 0);
      where.set(value);
    },
  });
  where.set('over');
  const colours = toggle({
    key: 'show.ghost_colours',
    label: 'Colour by distance',
    change: (value) => {
      app.bodies.show.ghost_colours = value;
      app.bodies.restyle();
      scale.hidden = !value;
    },
  });
  colours.set(true);
  const scale_end = el('span', {});
  const show_scale = () => (scale_end.textContent = `${format_percent(app.bodies.show.ghost_scale)} of the box`);
  show_scale();
  const scale = el('div', { class: 'scale distance' }, el('span', {}, '0'), el('span', {}, 'distance'), scale_end);
  const facts = el('table', { class: 'facts', 'data-key': 'ghost_error' });
  const inside = el('div', { hidden: true }, where.element, colours.element, scale, facts);
  return {
    element: section('compare', 'Compare', false, on.element, inside, hint('Both take the same steps, so time goes on as slowly as the full simulation does.')),
    state(state: StateMessage) {
      on.set(state.ghost);
      inside.hidden = !state.ghost;
      if (app.bodies.ghost_on !== state.ghost) {
        app.bodies.ghost_on = state.ghost;
        app.bodies.restyle();
      }
    },
    stats(stats: StatsMessage) {
      const error = stats.ghost_error;
      if (error) {
        // Steps that are easily read; smaller ones only when the distance is well below.
        const { show } = app.bodies;
        const wanted = SCALES.find((one) => one >= error.largest) ?? 1;
        if (wanted > show.ghost_scale || error.largest < 0.2 * show.ghost_scale) {
          show.ghost_scale = wanted;
          app.bodies.restyle();
          show_scale();
        }
      }
      fill_table(facts, error ? [
        ['mean distance, of the box', format_percent(error.mean)],
        ['largest', format_percent(error.largest)],
      ] : []);
    },
  };
}
