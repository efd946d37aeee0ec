// Colours of the scene in the light and in the dark theme. Those of the panel are in style.css.

export type Theme = 'light' | 'dark';

export interface Palette {
  sky_top: number;
  sky_bottom: number;
  ground: number;
  grid: number;
  shadow: number; // opacity
  hemisphere: [sky: number, ground: number, intensity: number];
  key: [colour: number, intensity: number];
  fill: [colour: number, intensity: number];
  rim: [colour: number, strength: number];
  edges: number;
  line: number;
  bodies: number[];
  sphere: number;
  ghost: number;
}

// Warm and muted, told apart by lightness as well as by hue.
const BODIES = [0xdf7357, 0x3f8f9b, 0xe0a63f, 0x7a73b8, 0x6f9a58, 0xb8648c, 0x4f76b0, 0xa88762];

export const PALETTES: Record<Theme, Palette> = {
  light: {
    sky_top: 0xfbf9f6,
    sky_bottom: 0xe4e0d9,
    ground: 0xffffff,
    grid: 0x8d867b,
    shadow: 0.2,
    hemisphere: [0xffffff, 0xcdbfae, 1.75],
    key: [0xfff3e2, 2.3],
    fill: [0xdfe8ff, 0.45],
    rim: [0xffffff, 0.16],
    edges: 0x3a2a22,
    line: 0x2b2a28,
    bodies: BODIES,
    sphere: 0xb9b4ab,
    ghost: 0x7d8794,
  },
  dark: {
    sky_top: 0x24272d,
    sky_bottom: 0x121418,
    ground: 0x2c3037,
    grid: 0x8c96a6,
    shadow: 0.5,
    hemisphere: [0xc8d4ea, 0x3a302b, 1.05],
    key: [0xffeedb, 2.5],
    fill: [0x86a2e0, 0.55],
    rim: [0xa9c2ff, 0.2],
    edges: 0x140d0a,
    line: 0xf3efe8,
    bodies: BODIES,
    sphere: 0x7d8088,
    ghost: 0xa8b3c2,
  },
};
