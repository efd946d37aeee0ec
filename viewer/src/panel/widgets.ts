// The panel's parts. Each shows a value, says when a person changes it, and can be told a new one; a value that comes
// while a person is at it waits.
import { format_number } from '../data/format';
import { from_slider, to_slider, type Range } from '../data/scale';
import { el } from './dom';
import { icon, type IconName } from './icons';

export interface Control<T> {
  element: HTMLElement;
  set(value: T): void;
}

export interface SliderOptions extends Range {
  key: string;
  label: string;
  unit?: string;
  whole?: boolean; // whole numbers only
  hint?: string;
  change(value: number): void;
}

export function slider(options: SliderOptions): Control<number> {
  let current = options.minimum;
  let held = false;
  const range = el('input', { type: 'range', min: 0, max: 1, step: 'any', 'data-key': options.key, 'aria-label': options.label });
  const field = el('input', { type: 'text', inputmode: 'decimal', 'data-field': options.key, 'aria-label': options.label });
  const show = (value: number) => {
    current = value;
    const part = to_slider(value, options);
    range.value = String(part);
    range.style.setProperty('--part', `${100 * part}%`);
    if (document.activeElement !== field) field.value = format_number(value).replaceAll('\u2009', '');
  };
  const change = (value: number) => {
    const rounded = options.whole ? Math.round(value) : Number(value.toPrecision(4));
    show(rounded);
    options.change(rounded);
  };
  range.addEventListener('pointerdown', () => (held = true));
  for (const end of ['pointerup', 'pointercancel', 'blur']) range.addEventListener(end, () => (held = false));
  range.addEventListener('input', () => change(from_slider(Number(range.value), options)));
  const commit = () => {
    const value = Number(field.value.replace(',', '.'));
    if (Number.isFinite(value) && field.value.trim() !== '') options.change(options.whole ? Math.round(value) : value);
    else show(current);
  };
  field.addEventListener('change', commit);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') field.blur();
  });
  field.addEventListener('blur', () => show(current));
  const element = el(
    'label',
    { class: 'row slider', title: options.hint ?? '' },
    el('span', { class: 'name' }, options.label),
    el('span', { class: 'value' }, field, el('span', { class: 'unit' }, options.unit ?? '')),
    range,
  );
  return {
    element,
    set(value) {
      if (!held) show(value);
      else current = value;
    },
  };
}

export function toggle(options: { key: string; label: string; hint?: string; change(on: boolean): void }): Control<boolean> {
  const box = el('input', { type: 'checkbox', 'data-key': options.key });
  box.addEventListener('change', () => options.change(box.checked));
  const element = el('label', { class: 'row toggle', title: options.hint ?? '' }, el('span', { class: 'name' }, options.label), box, el('span', { class: 'switch' }));
  return { element, set: (on) => (box.checked = on) };
}

export interface ChoiceControl extends Control<string> {
  set_options(options: [value: string, label: string][]): void;
}

export function choice(options: { key: string; label: string; change(value: string): void }): ChoiceControl {
  const select = el('select', { 'data-key': options.key, 'aria-label': options.label });
  select.addEventListener('change', () => options.change(select.value));
  const element = el('label', { class: 'row choice' }, el('span', { class: 'name' }, options.label), select);
  let listed = '';
  return {
    element,
    set: (value) => (select.value = value),
    set_options(list) {
      // Made anew only where they differ: an open list would close.
      if (JSON.stringify(list) === listed) return;
      listed = JSON.stringify(list);
      select.replaceChildren(...list.map(([value, label]) => el('option', { value }, label)));
    },
  };
}

/// Several numbers in a line, as x, y and z.
export function numbers(options: {
  key: string;
  label: string;
  names: string[];
  change(values: number[]): void;
}): Control<number[]> {
  let current = options.names.map(() => 0);
  const fields = options.names.map((name, i) => {
    const field = el('input', { type: 'text', inputmode: 'decimal', 'data-field': `${options.key}.${name}`, 'aria-label': `${options.label} ${name}` });
    field.addEventListener('change', () => {
      const value = Number(field.value.replace(',', '.'));
      if (!Number.isFinite(value) || field.value.trim() === '') return;
      options.change(current.map((old, j) => (j === i ? value : old)));
    });
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') field.blur();
    });
    return field;
  });
  const element = el(
    'div',
    { class: 'row numbers' },
    el('span', { class: 'name' }, options.label),
    el('span', { class: 'fields' }, ...fields.map((field, i) => el('label', {}, el('i', {}, options.names[i]), field))),
  );
  return {
    element,
    set(values) {
      current = [...values];
      fields.forEach((field, i) => {
        if (document.activeElement !== field) field.value = format_number(values[i]).replaceAll('\u2009', '');
      });
    },
  };
}

/// Two or three words side by side, one of them chosen.
export function segments(options: {
  key: string;
  label: string;
  choices: [value: string, label: string][];
  change(value: string): void;
}): Control<string> {
  const buttons = options.choices.map(([value, label]) => {
    const one = el('button', { type: 'button', 'data-key': `${options.key}.${value}`, 'aria-pressed': 'false' }, label);
    one.addEventListener('click', () => options.change(value));
    return one;
  });
  const element = el('div', { class: 'row segments' }, ...(options.label ? [el('span', { class: 'name' }, options.label)] : []), el('span', { class: 'group' }, ...buttons));
  return {
    element,
    set(value) {
      options.choices.forEach(([one], i) => buttons[i].setAttribute('aria-pressed', String(one === value)));
    },
  };
}

export function button(options: {
  key: string;
  label: string;
  icon?: IconName;
  main?: boolean;
  press(): void;
}): HTMLButtonElement {
  const element = el('button', { type: 'button', class: options.main ? 'main' : '', 'data-key': options.key }, ...(options.icon ? [icon(options.icon)] : []), el('span', {}, options.label));
  element.addEventListener('click', () => options.press());
  return element;
}

/// A part of the panel that folds.
export function section(key: string, title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
  return el('details', { class: 'section', 'data-section': key, open }, el('summary', {}, title), el('div', { class: 'inside' }, ...children));
}

export function hint(text: string): HTMLParagraphElement {
  return el('p', { class: 'hint' }, text);
}

/// Names and values in two columns.
export function fill_table(table: HTMLTableElement, rows: [name: string, value: string][]): void {
  table.replaceChildren(...rows.map(([name, value]) => el('tr', {}, el('th', {}, name), el('td', {}, value))));
}
