// Pause, step, reset, and the time: the bar at the foot of the picture.
import type { App, Part } from '../app';
import { format_number, format_seconds } from '../data/format';
import { el } from './dom';
import { icon, type IconName } from './icons';

function icon_button(key: string, label: string, name: IconName, press: () => void): HTMLButtonElement {
  return el('button', { type: 'button', 'data-key': key, title: label, 'aria-label': label, click: press }, icon(name));
}

export function make_transport(app: App, parent: HTMLElement): Part {
  const pause = icon_button('pause', 'Pause (Space)', 'pause', () => app.send({ type: 'pause', on: !app.state?.paused }));
  const step = icon_button('step', 'One step (.)', 'step', () => app.send({ type: 'step' }));
  const reset = icon_button('reset', 'Reset (r)', 'reset', () => app.send({ type: 'reset' }));
  const time = el('span', { class: 'time', 'data-key': 'time' });
  const speed = el('span', { class: 'speed', 'data-key': 'speed' });
  parent.append(el('div', { id: 'transport' }, pause, step, reset, time, speed));
  const show = () => {
    const { stats, state } = app;
    time.textContent = stats ? format_seconds(stats.time) : '';
    if (!state || !app.connected) speed.textContent = '';
    else if (state.edit) speed.textContent = 'editing';
    else if (state.mode) speed.textContent = `mode ${state.mode.index + 1}`;
    else if (state.paused) speed.textContent = 'paused';
    else if (stats && stats.step_us > 0) speed.textContent = `${format_number(stats.step_us)} µs a step`;
    else speed.textContent = '';
  };
  return {
    state(state) {
      pause.replaceChildren(icon(state.paused ? 'play' : 'pause'));
      pause.title = state.paused ? 'Go on (Space)' : 'Pause (Space)';
      pause.setAttribute('aria-label', pause.title);
      show();
    },
    stats: show,
    connection: show,
  };
}
