// The body's modes, played one by one.
import type { App, Part } from '../../app';
import { format_number } from '../../data/format';
import type { ServerMessage, StateMessage } from '../../net/protocol';
import { el } from '../dom';
import { button, section, slider } from '../widgets';

export function make_modes_section(app: App): Part & { element: HTMLElement } {
  let amplitude = 0.08; // of the box
  let playing: number | null = null;
  let frequencies: number[] = [];
  const list = el('div', { class: 'modes', 'data-key': 'modes' });
  const size = slider({
    key: 'mode_amplitude',
    label: 'Amplitude',
    unit: 'of the box',
    minimum: 0.005,
    maximum: 0.5,
    logarithmic: true,
    change: (value) => {
      amplitude = value;
      if (playing !== null) play(playing);
    },
  });
  size.set(amplitude);
  const stop = button({ key: 'mode_stop', label: 'Back to the simulation', press: () => app.send({ type: 'mode' }) });
  stop.disabled = true;
  const play = (index: number) => app.send({ type: 'mode', body: app.body, index, amplitude });
  const mark = () => {
    stop.disabled = playing === null;
    for (const [i, one] of [...list.children].entries()) one.setAttribute('aria-pressed', String(i === playing));
  };
  const show = () => {
    const body = app.scene?.bodies[app.body];
    const count = frequencies.length > 0 ? frequencies.length : (body?.modes ?? 0);
    list.replaceChildren(
      ...Array.from({ length: count }, (_, i) => {
        const one = el('button', { type: 'button', 'data-key': `mode.${i}` }, el('b', {}, String(i + 1)), el('span', {}, frequencies[i] !== undefined ? `${format_number(frequencies[i])} Hz` : '…'));
        one.addEventListener('click', () => (playing === i ? app.send({ type: 'mode' }) : play(i)));
        return one;
      }),
    );
    element.hidden = count === 0;
    mark();
  };
  const element = section('modes', 'Modes', false, list, size.element, el('div', { class: 'buttons' }, stop));
  return {
    element,
    scene() {
      frequencies = app.scene?.bodies[app.body]?.mode_frequencies ?? [];
      show();
    },
    state(state: StateMessage) {
      playing = state.mode && state.mode.body === app.body ? state.mode.index : null;
      mark();
    },
    message(message: ServerMessage) {
      if (message.type !== 'modes' || message.body !== app.body) return;
      frequencies = message.frequencies;
      show();
    },
  };
}
