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
const BODIES = [0xe88a6b, 0x5aa7b0, 0xe8b557, 0x928bcb, 0x8bb173, 0xcc7fa4, 0x6c92c8, 0xbd9f7d];

export const PALETTES: Record<Theme, Palette> = {
  light: {
    sky_top: 0xfbf9f6,
    sky_bottom: 0xe4e0d9,
    ground: 0xffffff,
    grid: 0x8d867b,
    shadow: 0.24,
    hemisphere: [0xffffff, 0xf0dccb, 2.1],
    key: [0xfff3e4, 1.9],
    fill: [0xe6edff, 0.5],
    rim: [0xfff1e6, 0.12],
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
    grid: 0x79828f,
    shadow: 0.5,
    hemisphere: [0xdfe5f0, 0xc2b4aa, 1.3],
    key: [0xffefdd, 2.2],
    fill: [0x9bb2e6, 0.6],
    rim: [0xc4d2f2, 0.12],
    edges: 0x140d0a,
    line: 0xf3efe8,
    bodies: BODIES,
    sphere: 0x7d8088,
    ghost: 0xa8b3c2,
  },
};
