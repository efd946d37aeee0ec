// The full simulation of the same body beside the reduced one, and how far they are apart.
import type { App, Part } from '../../app';
import { format_percent } from '../../data/format';
import type { StateMessage, StatsMessage } from '../../net/protocol';
import { el } from '../dom';
import { fill_table, hint, section, segments, toggle } from '../widgets';

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
  const scale = el('div', { class: 'scale distance' }, el('span', {}, '0'), el('span', {}, 'distance'), el('span', {}, '3 % of the box'));
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
      fill_table(facts, error ? [
        ['mean distance, of the box', format_percent(error.mean)],
        ['largest', format_percent(error.largest)],
      ] : []);
    },
  };
}
