// Which body, what it is, and where another one comes from.
import type { App, Part } from '../../app';
import { group_thousands, words } from '../../data/format';
import { el } from '../dom';
import { button, choice, fill_table, section } from '../widgets';

export function make_body_section(app: App): Part & { element: HTMLElement } {
  const bodies = choice({ key: 'body', label: 'Body', change: (value) => app.choose_body(Number(value)) });
  const facts = el('table', { class: 'facts' });
  const file = el('input', { type: 'file', hidden: true, 'data-key': 'file' });
  file.addEventListener('change', () => {
    if (file.files?.[0]) app.open(file.files[0]);
    file.value = '';
  });
  const open = button({ key: 'open', label: 'Open a mesh', icon: 'file', press: () => file.click() });
  const shapes = choice({
    key: 'shape',
    label: 'Shape',
    change: (shape) => {
      if (shape) app.send({ type: 'open', shape });
      shapes.set('');
    },
  });
  const show = () => {
    const scene = app.scene;
    if (!scene) return;
    bodies.set_options(scene.bodies.map((body, b) => [String(b), body.name]));
    bodies.set(String(app.body));
    bodies.element.hidden = scene.bodies.length < 2;
    shapes.set_options([['', 'choose …'], ...app.shapes.map((name): [string, string] => [name, words(name)])]);
    shapes.element.hidden = app.shapes.length === 0;
    const body = scene.bodies[app.body];
    if (!body) return;
    fill_table(facts, [
      ['vertices', group_thousands(body.vertices)],
      ...(body.tets > 0 ? [['tetrahedra', group_thousands(body.tets)] as [string, string]] : []),
      ['triangles shown', group_thousands(body.triangles)],
      ['degrees of freedom', group_thousands(body.dofs)],
      ...(body.fixed > 0 ? [['held vertices', group_thousands(body.fixed)] as [string, string]] : []),
    ]);
  };
  return {
    element: section('body', 'Body', true, bodies.element, facts, shapes.element, el('div', { class: 'buttons' }, open, file)),
    scene: show,
    connection: show,
  };
}
