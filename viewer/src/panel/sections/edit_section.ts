// The edit mode's panel: tools, the list of regions, and the equilibrium's numbers.
import type { App, Part } from '../../app';
import { format_number } from '../../data/format';
import { REGION_COLOURS, type EditMode } from '../../interact/edit_mode';
import type { ServerMessage, StateMessage, Vec3 } from '../../net/protocol';
import { el } from '../dom';
import { icon } from '../icons';
import { button, fill_table, hint, numbers, section, segments, toggle, type Control } from '../widgets';

const DEGREES = 180 / Math.PI;

export function make_edit_section(app: App, edit: EditMode): Part & { element: HTMLElement } {
  const on = toggle({ key: 'edit', label: 'Edit the pose', change: (value) => edit.set_on(value) });
  const tool = segments({
    key: 'tool',
    label: '',
    choices: [
      ['paint', 'Paint'],
      ['box', 'Box'],
      ['move', 'Move'],
      ['turn', 'Turn'],
    ],
    change: (value) => edit.set_tool(value as typeof edit.tool),
  });
  const list = el('ul', { class: 'regions', 'data-key': 'regions' });
  const another = button({ key: 'region_new', label: 'Another region', press: () => { edit.choose(-1); edit.set_tool('paint'); } });
  const clear = button({ key: 'region_clear', label: 'Clear', press: () => edit.clear() });
  const translation = numbers({
    key: 'translation',
    label: 'Moved by',
    names: ['x', 'y', 'z'],
    change: (values) => edit.transform(edit.chosen, values as Vec3, edit.regions[edit.chosen].rotation),
  });
  const rotation = numbers({
    key: 'rotation',
    label: 'Turned, °',
    names: ['x', 'y', 'z'],
    change: (values) => edit.transform(edit.chosen, edit.regions[edit.chosen].translation, values.map((v) => v / DEGREES) as Vec3),
  });
  const pose = el('table', { class: 'facts', 'data-key': 'pose' });
  const how = hint('Paint over the body, or drag a box around a part of it, then move it. Points that no region holds find their equilibrium. Alt erases.');
  const inside = el('div', { hidden: true }, tool.element, how, list, translation.element, rotation.element, el('div', { class: 'buttons' }, another, clear), pose);

  const show_numbers = (control: Control<number[]>, values: number[] | undefined) => {
    control.element.hidden = values === undefined;
    if (values) control.set(values);
  };
  edit.changed = () => {
    tool.set(edit.tool);
    list.replaceChildren(
      ...edit.regions.map((region, r) => {
        const dot = el('i', {});
        dot.style.background = `#${REGION_COLOURS[r % REGION_COLOURS.length].toString(16).padStart(6, '0')}`;
        const name = el('button', { type: 'button', 'data-key': `region.${r}`, 'aria-pressed': String(r === edit.chosen) }, dot, `Region ${r + 1}`, el('small', {}, `${region.points.size} points`));
        name.addEventListener('click', () => edit.choose(r));
        const remove = el('button', { type: 'button', class: 'quiet', 'data-key': `region_remove.${r}`, 'aria-label': `Remove region ${r + 1}` }, icon('bin'));
        remove.addEventListener('click', () => edit.remove(r));
        return el('li', {}, name, remove);
      }),
    );
    clear.disabled = another.disabled = edit.regions.length === 0;
    const region = edit.regions[edit.chosen];
    show_numbers(translation, region?.translation);
    show_numbers(rotation, region?.rotation.map((v) => v * DEGREES));
  };
  edit.changed();

  const element = section('edit', 'Edit', false, on.element, inside);
  return {
    element,
    scene() {
      element.hidden = !(app.scene?.bodies[app.body]?.editable ?? false);
    },
    state(state: StateMessage) {
      on.set(state.edit !== null);
      inside.hidden = state.edit === null;
      if (state.edit === null) fill_table(pose, []);
    },
    message(message: ServerMessage) {
      if (message.type !== 'pose') return;
      fill_table(pose, [
        ['iterations', `${message.iterations}${message.converged ? '' : ' (not converged)'}`],
        ['milliseconds', format_number(message.milliseconds)],
        ['handles missed by', format_number(message.handle_error)],
      ]);
    },
  };
}
