// One line at the top where it matters: the server is gone, someone else drives, a scene is being made.
import type { App, Part } from '../app';
import type { ServerMessage } from '../net/protocol';
import { el } from './dom';

export function make_banner(app: App, parent: HTMLElement): Part {
  const gone = el('div', { class: 'banner gone', hidden: true, 'data-key': 'gone' }, el('i', { class: 'dot' }), el('span', {}, 'The server is gone. Trying again …'));
  const take = el('button', { type: 'button', 'data-key': 'wheel', click: () => app.send({ type: 'wheel' }) }, 'Take the wheel');
  const watching = el('div', { class: 'banner watching', hidden: true, 'data-key': 'watching' }, el('span', {}, 'You are watching; another viewer drives.'), take);
  const what = el('span', {});
  const bar = el('b', {});
  const working = el('div', { class: 'banner working', hidden: true, 'data-key': 'working' }, what, el('span', { class: 'track' }, bar));
  parent.append(el('div', { id: 'banners' }, gone, watching, working));
  let ever = false;
  return {
    connection() {
      ever ||= app.connected;
      gone.hidden = app.connected || !ever;
      watching.hidden = !app.connected || app.driver;
      if (!app.connected) working.hidden = true;
    },
    message(message: ServerMessage) {
      if (message.type !== 'progress') return;
      working.hidden = message.done;
      what.textContent = message.what;
      bar.style.width = `${100 * message.part}%`;
    },
  };
}
