// The sheet of keys and gestures, behind "?".
import type { KeyAction } from '../interact/keys';
import { el } from './dom';
import { icon } from './icons';

const GESTURES: [string, string][] = [
  ['Drag on the body', 'pull it (any button, Ctrl or Shift too)'],
  ['Drag elsewhere', 'turn the view; with the right button, move it'],
  ['Wheel, two fingers', 'zoom'],
  ['Drag the sphere', 'push with it'],
  ['Drop a file', 'open a mesh or a model'],
];

export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor(parent: HTMLElement, actions: KeyAction[]) {
    const rows = [
      ...GESTURES.map(([what, does]) => el('tr', {}, el('th', {}, what), el('td', {}, does))),
      ...actions.map((action) => el('tr', {}, el('th', {}, el('kbd', {}, action.shown)), el('td', {}, action.does))),
    ];
    const close = el('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', click: () => this.dialog.close() }, icon('close'));
    this.dialog = el('dialog', { id: 'help' }, el('header', {}, el('h2', { tabindex: -1, autofocus: true }, 'Keys and gestures'), close), el('table', {}, ...rows), el('p', { class: 'hint' }, 'Drawn with ', el('a', { href: 'assets/licences.txt', target: '_blank' }, 'three.js and set in Inter'), '.'));
    // A click beside the sheet closes it.
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    parent.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
