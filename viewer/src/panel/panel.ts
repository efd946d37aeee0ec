// The panel at the right: a head, and sections that fold. The whole panel folds too; on a phone it is a sheet at the foot.
import type { App, Part } from '../app';
import { group_thousands } from '../data/format';
import type { EditMode } from '../interact/edit_mode';
import { el } from './dom';
import { icon } from './icons';
import { make_body_section } from './sections/body_section';
import { make_compare_section } from './sections/compare_section';
import { make_edit_section } from './sections/edit_section';
import { make_look_section } from './sections/look_section';
import { make_method_section, short_method_name } from './sections/method_section';
import { make_modes_section } from './sections/modes_section';
import { make_motion_section } from './sections/motion_section';
import { make_numbers_section } from './sections/numbers_section';
import { make_record_section } from './sections/record_section';
import { make_world_section } from './sections/world_section';

const PHONE = 720; // pixels of width below which the panel is a sheet

export interface PanelActions {
  toggle_theme(): void;
  show_help(): void;
}

export class Panel implements Part {
  readonly element: HTMLElement;
  readonly look: ReturnType<typeof make_look_section>;
  readonly parts: Part[];
  private readonly title = el('h1', {});
  private readonly subtitle = el('p', {});

  constructor(
    private readonly app: App,
    edit: EditMode,
    parent: HTMLElement,
    actions: PanelActions,
  ) {
    this.look = make_look_section(app);
    const sections = [
      make_body_section(app),
      make_motion_section(app),
      make_world_section(app),
      this.look,
      make_method_section(app),
      make_numbers_section(app),
      make_compare_section(app),
      make_modes_section(app),
      make_edit_section(app, edit),
      make_record_section(app),
    ];
    this.parts = sections;
    const theme = el('button', { type: 'button', class: 'quiet theme', 'data-key': 'theme', title: 'Light or dark (t)', 'aria-label': 'Light or dark', click: actions.toggle_theme }, icon('sun'), icon('moon'));
    const keys = el('button', { type: 'button', class: 'quiet', 'data-key': 'help', title: 'Keys (?)', 'aria-label': 'Keys', click: actions.show_help }, icon('keys'));
    const fold = el('button', { type: 'button', class: 'quiet fold', 'data-key': 'fold', title: 'Fold the panel (p)', 'aria-label': 'Fold the panel', click: () => this.fold() }, icon('fold'));
    const head = el('header', {}, el('div', { class: 'titles' }, this.title, this.subtitle), theme, keys, fold);
    this.element = el('aside', { id: 'panel' }, head, el('div', { class: 'sections' }, ...sections.map((part) => part.element)));
    parent.append(this.element);
    this.element.classList.toggle('folded', window.innerWidth < PHONE);
    new ResizeObserver(() => this.make_room()).observe(parent);
    this.make_room();
  }

  fold(): void {
    this.element.classList.toggle('folded');
    this.make_room();
  }

  scene(): void {
    const { scene, body } = this.app;
    const info = scene?.bodies[body];
    this.title.textContent = scene?.title || 'Pliant';
    this.subtitle.textContent = info ? `${short_method_name(info.method)} · ${group_thousands(info.dofs)} degrees of freedom` : '';
    document.title = scene?.title ? `${scene.title} – Pliant` : 'Pliant';
  }

  /// The picture's middle moves to the middle of what the panel leaves free.
  private make_room(): void {
    const { offsetWidth, offsetHeight } = this.element;
    if (window.innerWidth < PHONE) this.app.stage.cover(0, offsetHeight);
    else this.app.stage.cover(this.element.classList.contains('folded') ? 0 : offsetWidth, 0);
  }
}
