// How the body is made small, and making it anew while the old model keeps running.
import type { App, Part } from '../../app';
import { format_number, words } from '../../data/format';
import type { Parameter, ServerMessage } from '../../net/protocol';
import { el } from '../dom';
import { button, choice, fill_table, hint, numbers, section } from '../widgets';

const NAMES: Record<string, string> = {
  hrpd: 'Hyper-reduced projective dynamics',
  reduced_fem: 'Reduced finite elements',
  projective_dynamics: 'Projective dynamics (full)',
  newton: 'Implicit Newton (full)',
};

export function method_name(method: string): string {
  return NAMES[method] ?? words(method);
}

const SHORT_NAMES: Record<string, string> = {
  hrpd: 'hrpd',
  reduced_fem: 'reduced FEM',
  projective_dynamics: 'full PD',
  newton: 'full Newton',
};

export function short_method_name(method: string): string {
  return SHORT_NAMES[method] ?? words(method);
}

export function make_method_section(app: App): Part & { element: HTMLElement } {
  let method = '';
  let shown = ''; // method and scene that the parameters were made for
  const values = new Map<string, number | string>();
  const methods = choice({
    key: 'method',
    label: 'Method',
    change: (value) => {
      method = value;
      show_parameters();
    },
  });
  const parameters = el('div', { class: 'parameters' });
  const rebuild = button({
    key: 'rebuild',
    label: 'Rebuild',
    main: true,
    press: () => app.send({ type: 'rebuild', body: app.body, method, parameters: Object.fromEntries(values) }),
  });
  const bar = el('div', { class: 'progress', hidden: true, 'data-key': 'progress' }, el('span', {}), el('i', {}));
  const fixed = hint('This body came as a finished model: its method cannot be changed here.');
  const measured = el('table', { class: 'facts', 'data-key': 'measured' });
  const measured_title = el('h4', {}, 'Measured when it was made');

  const show_parameters = () => {
    const body = app.scene?.bodies[app.body];
    const wanted = `${app.scene?.version} ${app.body} ${method}`;
    if (!body || wanted === shown) return;
    shown = wanted;
    values.clear();
    const list = body.methods[method]?.parameters ?? [];
    parameters.replaceChildren(...list.map((parameter) => parameter_row(parameter, values)));
  };

  const show = () => {
    const body = app.scene?.bodies[app.body];
    if (!body) return;
    method = body.method;
    methods.set_options(Object.keys(body.methods).map((key) => [key, method_name(key)]));
    if (!(method in body.methods)) methods.set_options([[method, method_name(method)], ...Object.keys(body.methods).map((key): [string, string] => [key, method_name(key)])]);
    methods.set(method);
    shown = '';
    show_parameters();
    rebuild.hidden = parameters.hidden = !body.can_rebuild;
    fixed.hidden = body.can_rebuild;
    const rows = Object.entries(body.measured);
    measured.hidden = measured_title.hidden = rows.length === 0;
    fill_table(measured, rows.map(([name, value]) => [words(name), format_number(value)]));
  };

  return {
    element: section('method', 'Method', false, methods.element, parameters, el('div', { class: 'buttons' }, rebuild), bar, fixed, measured_title, measured),
    scene: show,
    message(message: ServerMessage) {
      if (message.type !== 'progress') return;
      bar.hidden = message.done;
      rebuild.disabled = !message.done;
      bar.firstElementChild!.textContent = message.what;
      (bar.lastElementChild as HTMLElement).style.width = `${100 * message.part}%`;
    },
    connection() {
      if (app.connected) return;
      bar.hidden = true;
      rebuild.disabled = false;
    },
  };
}

/// Its value goes into `values`, which a rebuild sends whole.
function parameter_row(parameter: Parameter, values: Map<string, number | string>): HTMLElement {
  values.set(parameter.key, parameter.value);
  if (parameter.kind === 'choice') {
    const row = choice({ key: `parameter.${parameter.key}`, label: parameter.label, change: (value) => values.set(parameter.key, value) });
    row.set_options((parameter.choices ?? []).map((value) => [value, words(value)]));
    row.set(String(parameter.value));
    return row.element;
  }
  const row = numbers({
    key: 'parameter',
    label: parameter.label,
    names: [parameter.key],
    change: ([value]) => {
      const clamped = Math.min(parameter.maximum ?? Infinity, Math.max(parameter.minimum ?? -Infinity, value));
      const kept = parameter.kind === 'int' ? Math.round(clamped) : clamped;
      values.set(parameter.key, kept);
      row.set([kept]);
    },
  });
  row.element.classList.add('parameter');
  row.element.title = parameter.minimum !== undefined ? `${format_number(parameter.minimum)} to ${format_number(parameter.maximum ?? Infinity)}` : '';
  row.set([Number(parameter.value)]);
  return row.element;
}
