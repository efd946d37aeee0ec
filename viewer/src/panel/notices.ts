// Lines at the foot of the page: errors stay until they are dismissed, notices go by themselves.
import { el } from './dom';
import { icon } from './icons';

const NOTICE_MS = 6000;
const MOST = 4;

export class Notices {
  private readonly holder = el('div', { id: 'notices', role: 'status', 'aria-live': 'polite' });

  constructor(parent: HTMLElement) {
    parent.append(this.holder);
  }

  error(sentence: string): void {
    this.add(sentence, 'error');
  }

  notice(sentence: string): void {
    const line = this.add(sentence, 'notice');
    window.setTimeout(() => line.remove(), NOTICE_MS);
  }

  private add(sentence: string, kind: 'error' | 'notice'): HTMLElement {
    // The same sentence again is not another line.
    for (const line of this.holder.children) if (line.firstChild?.textContent === sentence) line.remove();
    const line = el('div', { class: `line ${kind}` }, el('p', {}, sentence), el('button', { type: 'button', 'aria-label': 'Dismiss', class: 'quiet', click: () => line.remove() }, icon('close')));
    this.holder.append(line);
    while (this.holder.children.length > MOST) this.holder.firstElementChild!.remove();
    return line;
  }
}
