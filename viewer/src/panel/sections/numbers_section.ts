// How fast, where the time goes, how much energy: small plots that grow four times a second.
import type { App, Part } from '../../app';
import { format_number } from '../../data/format';
import type { StatsMessage } from '../../net/protocol';
import { el } from '../dom';
import { Plot } from '../plot';
import { fill_table, section, toggle } from '../widgets';

export function make_numbers_section(app: App): Part & { element: HTMLElement } {
  const speed = new Plot({ label: 'Steps a second, if it ran freely', unit: '/s' });
  const phases = new Plot({ label: 'Microseconds a step', stacked: true, total: 'all', height: 56 });
  const energy = new Plot({ label: 'Energy, joules', height: 64 });
  const facts = el('table', { class: 'facts', 'data-key': 'numbers' });
  let energy_on = false;
  const ask_energy = toggle({
    key: 'show.energy',
    label: 'Energy over time',
    hint: 'Summed over the whole mesh: takes a little time of its own',
    change: (on) => {
      energy_on = on;
      energy.clear();
      energy.element.hidden = !on;
      app.send({ type: 'show', energy: on });
    },
  });
  energy.element.hidden = true;
  let version = -1;
  return {
    element: section('numbers', 'Numbers', false, speed.element, phases.element, ask_energy.element, energy.element, facts),
    scene(scene) {
      if (scene.version === version) return;
      version = scene.version;
      phases.clear();
      speed.clear();
      energy.clear();
    },
    stats(stats: StatsMessage) {
      // While paused nothing is stepped: the plots wait, and keep what they had.
      if (!app.state?.paused && stats.step_us > 0) {
        speed.add({ steps: stats.possible_steps_per_s });
        phases.add(stats.phases);
      }
      if (energy_on && stats.energy) {
        const { kinetic, elastic, gravitational } = stats.energy;
        energy.add({ kinetic, elastic, gravitational, total: kinetic + elastic + gravitational });
      }
      fill_table(facts, [
        ['steps a second, as run', app.state?.paused ? 'paused' : format_number(stats.steps_per_s)],
        ['iterations a step', `${stats.iterations}${stats.converged ? '' : ' (not converged)'}`],
        ['residual', format_number(stats.residual)],
        ...(stats.contacts !== null ? [['contacts', String(stats.contacts)] as [string, string]] : []),
      ]);
    },
    connection() {
      if (app.connected && energy_on) app.send({ type: 'show', energy: true });
    },
  };
}
