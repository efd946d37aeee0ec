// Small line drawings, 20 x 20, in the colour of the text.

const PATHS = {
  play: '<path d="M6.5 4.2v11.6l9.2-5.8z" fill="currentColor"/>',
  pause: '<path d="M6.6 4.5v11M13.4 4.5v11" stroke-width="2.6"/>',
  step: '<path d="M4.5 5v10l7.6-5z" fill="currentColor"/><path d="M15 5v10" stroke-width="2.2"/>',
  reset: '<path d="M4.2 10a5.8 5.8 0 1 0 1.9-4.3"/><path d="M4 3.2v3.4h3.4"/>',
  sun: '<circle cx="10" cy="10" r="3.4"/><path d="M10 2.6v1.8M10 15.6v1.8M2.6 10h1.8M15.6 10h1.8M4.8 4.8 6 6M14 14l1.2 1.2M15.2 4.8 14 6M6 14l-1.2 1.2"/>',
  moon: '<path d="M16 11.9A6.6 6.6 0 0 1 8.1 4a6.4 6.4 0 1 0 7.9 7.9z"/>',
  fold: '<path d="m7.5 5 5 5-5 5"/>',
  keys: '<rect x="2.6" y="5.4" width="14.8" height="9.2" rx="1.8"/><path d="M5.6 8.4h.1M8.5 8.4h.1M11.4 8.4h.1M14.3 8.4h.1M6.6 11.7h6.8"/>',
  close: '<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>',
  camera: '<path d="M3 7.2h3.2l1.3-2h5l1.3 2H17v8.3H3z"/><circle cx="10" cy="11" r="2.6"/>',
  file: '<path d="M10 13.2V4.4M6.4 7.8 10 4.2l3.6 3.6M4 12.6v3.2h12v-3.2"/>',
  bin: '<path d="M4.6 6h10.8M8 6V4.2h4V6M6 6l.6 9.8h6.8L14 6"/>',
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): HTMLElement {
  const holder = document.createElement('span');
  holder.className = 'icon';
  holder.innerHTML = `<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
  return holder;
}
