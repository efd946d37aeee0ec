// What is shown besides the body itself.
import type { App, Part } from '../../app';
import { el } from '../dom';
import { section, toggle, type Control } from '../widgets';

type Switch = 'strain' | 'edges' | 'samples' | 'handles' | 'held';

export function make_look_section(app: App): Part & { element: HTMLElement; refresh(): void } {
  const change = (key: Switch) => (on: boolean) => {
    app.bodies.show[key] = on;
    app.bodies.restyle();
    refresh();
  };
  const strain_scale = el('div', { class: 'scale strain', title: 'Mean stretch of the edges around a vertex' }, el('span', {}, '−25 %'), el('span', {}, 'stretch'), el('span', {}, '+25 %'));
  const controls: [Switch, Control<boolean>][] = [
    ['strain', toggle({ key: 'show.strain', label: 'Strain', change: change('strain') })],
    ['edges', toggle({ key: 'show.edges', label: 'Wireframe', change: change('edges') })],
    ['samples', toggle({ key: 'show.samples', label: 'Samples, by weight', hint: 'Sampled constraints, or the elements of the cubature', change: change('samples') })],
    ['handles', toggle({ key: 'show.handles', label: 'Handles', change: change('handles') })],
    ['held', toggle({ key: 'show.held', label: 'Held vertices', change: change('held') })],
  ];
  const refresh = () => {
    for (const [key, control] of controls) control.set(app.bodies.show[key]);
    strain_scale.hidden = !app.bodies.show.strain;
  };
  refresh();
  return {
    element: section('look', 'Look', false, controls[0][1].element, strain_scale, ...controls.slice(1).map(([, control]) => control.element)),
    refresh,
    scene(scene) {
      const any = (has: (b: (typeof scene.bodies)[number]) => number) => scene.bodies.some((body) => has(body) > 0);
      controls[2][1].element.hidden = !any((body) => body.samples);
      controls[3][1].element.hidden = !any((body) => body.handles);
      controls[4][1].element.hidden = !any((body) => body.fixed);
    },
  };
}
