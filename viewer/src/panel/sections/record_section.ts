// Recording: the motion itself, by the server; pictures and film, by the page.
import type { App, Part } from '../../app';
import { format_seconds } from '../../data/format';
import type { ServerMessage, StateMessage } from '../../net/protocol';
import { FilmRecorder, PictureSequence, save_picture } from '../../record/page_recorder';
import { el } from '../dom';
import { button, section } from '../widgets';

export function make_record_section(app: App): Part & { element: HTMLElement } {
  let recording = false;
  let film: FilmRecorder | null = null;
  let sequence: PictureSequence | null = null;
  const name = () => (app.scene?.title || 'pliant').replace(/[^\w.-]+/g, '_');
  const label = (of: HTMLElement, text: string, on: boolean) => {
    of.querySelector('span:last-child')!.textContent = text;
    of.classList.toggle('recording', on);
  };

  const motion = button({ key: 'record', label: 'Record the motion', press: () => app.send({ type: 'record', on: !recording }) });
  const files = el('div', { class: 'files', 'data-key': 'files' });
  const film_button = button({
    key: 'record_film',
    label: 'Film (.webm)',
    press: () => {
      if (film) film.stop();
      film = film ? null : new FilmRecorder(app.stage, `${name()}.webm`);
      label(film_button, film ? 'Stop the film' : 'Film (.webm)', film !== null);
    },
  });
  film_button.hidden = !FilmRecorder.supported();
  const sequence_button = button({
    key: 'record_pictures',
    label: 'Pictures (.zip)',
    press: () => {
      if (sequence) void sequence.stop();
      sequence = sequence ? null : new PictureSequence(app.stage, name());
      label(sequence_button, sequence ? 'Stop the pictures' : 'Pictures (.zip)', sequence !== null);
    },
  });
  const picture = button({ key: 'screenshot', label: 'Picture', icon: 'camera', press: () => save_picture(app.stage, `${name()}.png`) });
  return {
    element: section('record', 'Record', false, el('div', { class: 'buttons' }, motion), files, el('div', { class: 'buttons' }, picture, sequence_button, film_button)),
    state(state: StateMessage) {
      recording = state.recording;
      label(motion, recording ? `Stop · ${state.recorded_frames} frames` : 'Record the motion', recording);
      if (recording) files.replaceChildren();
    },
    message(message: ServerMessage) {
      if (message.type !== 'recorded') return;
      files.replaceChildren(
        el('span', {}, `${message.frames} frames, ${format_seconds(message.seconds)}`),
        ...message.files.map((file) => el('a', { href: file, download: `${name()}${file.slice(file.lastIndexOf('.'))}` }, file.slice(file.lastIndexOf('.')))),
      );
    },
  };
}
