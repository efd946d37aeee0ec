// A small plot over time, drawn by hand on a canvas.
import { format_number } from '../data/format';
import { el } from './dom';

export interface PlotOptions {
  label: string;
  height?: number;
  stacked?: boolean; // areas on top of each other, for parts of a whole
  unit?: string;
  total?: string; // name of the sum, shown beside the label
}

const SAMPLES = 160;
// Told apart in both themes; phases that come later take them in turn.
const COLOURS = ['#d9694c', '#3f8f9b', '#d79c35', '#7a73b8', '#6f9a58', '#b8648c', '#4f76b0', '#8f8577'];

export class Plot {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', {});
  private readonly value = el('b', {});
  private readonly legend = el('div', { class: 'legend' });
  private readonly series = new Map<string, number[]>();
  private length = 0;

  constructor(private readonly options: PlotOptions) {
    this.canvas.style.height = `${options.height ?? 46}px`;
    this.element = el('figure', { class: 'plot' }, el('figcaption', {}, el('span', {}, options.label), this.value), this.canvas, this.legend);
  }

  /// One sample of every line; lines that are missing count as zero.
  add(values: Record<string, number>): void {
    for (const name of Object.keys(values)) {
      if (!this.series.has(name)) this.series.set(name, new Array<number>(this.length).fill(0));
    }
    for (const [name, line] of this.series) {
      line.push(values[name] ?? 0);
      if (line.length > SAMPLES) line.shift();
    }
    this.length = Math.min(SAMPLES, this.length + 1);
    this.draw();
  }

  clear(): void {
    this.series.clear();
    this.length = 0;
    this.draw();
  }

  private draw(): void {
    const last = [...this.series].map(([name, line]) => [name, line[line.length - 1]] as const);
    const sum = last.reduce((a, [, value]) => a + value, 0);
    const one = this.series.size === 1 || this.options.total;
    this.value.textContent = this.length > 0 && one ? `${format_number(sum)} ${this.options.unit ?? ''}` : '';
    this.legend.replaceChildren(
      ...(this.series.size > 1
        ? last.map(([name, value], i) => {
            const dot = el('i', {});
            dot.style.background = COLOURS[i % COLOURS.length];
            return el('span', {}, dot, `${name.replaceAll('_', ' ')} `, el('b', {}, format_number(value)));
          })
        : []),
    );

    // === The canvas has as many pixels as the screen
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return; // folded away
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const draw = this.canvas.getContext('2d')!;
    draw.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    draw.strokeStyle = style.getPropertyValue('--line');
    draw.lineWidth = 1;
    draw.beginPath();
    draw.moveTo(0, height - 0.5);
    draw.lineTo(width, height - 0.5);
    draw.stroke();
    if (this.length < 2) return;

    const lines = [...this.series.values()];
    const tops = this.options.stacked ? stack(lines) : lines;
    const [low, high] = bounds(tops, this.options.stacked || this.series.size === 1);
    const x = (i: number) => ((i + SAMPLES - this.length) / (SAMPLES - 1)) * width;
    const y = (v: number) => height - 2 - ((v - low) / (high - low)) * (height - 6);
    // From the top of the stack down, each area covers what lies below its line.
    for (let s = tops.length - 1; s >= 0; --s) {
      const line = tops[s];
      const path = new Path2D();
      line.forEach((v, i) => (i === 0 ? path.moveTo(x(i), y(v)) : path.lineTo(x(i), y(v))));
      draw.strokeStyle = draw.fillStyle = COLOURS[s % COLOURS.length];
      draw.lineWidth = 1.5;
      draw.lineJoin = 'round';
      draw.stroke(path);
      if (this.options.stacked || this.series.size === 1) {
        path.lineTo(x(line.length - 1), height);
        path.lineTo(x(0), height);
        draw.globalAlpha = this.options.stacked ? 0.85 : 0.16;
        draw.fill(path);
        draw.globalAlpha = 1;
      }
    }
  }
}

/// Running sums over the lines: the top edge of each area.
export function stack(lines: number[][]): number[][] {
  const sums = new Array<number>(lines[0]?.length ?? 0).fill(0);
  return lines.map((line) => line.map((value, i) => (sums[i] += value)));
}

/// The least and the largest value, never the same; with `from_zero` zero is one of them.
export function bounds(lines: number[][], from_zero: boolean): [number, number] {
  let low = from_zero ? 0 : Infinity;
  let high = from_zero ? 0 : -Infinity;
  for (const line of lines) {
    for (const value of line) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(high > low)) return [low - 0.5, low + 0.5];
  return [low, high];
}
