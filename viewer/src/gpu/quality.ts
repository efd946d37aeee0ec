// How much the picture may cost. Where the processor draws in place of a GPU, edges and shadows are made more cheaply;
// ?quality=full, modest or least in the address decides otherwise (tests take the least).

export interface Quality {
  antialias: boolean;
  most_pixels: number; // device pixels a CSS pixel
  shadow_pixels: number;
  shadow_samples: number;
  shadow_radius: number;
}

const FULL: Quality = { antialias: true, most_pixels: 2, shadow_pixels: 1024, shadow_samples: 20, shadow_radius: 13 };
const MODEST: Quality = { antialias: false, most_pixels: 1, shadow_pixels: 512, shadow_samples: 8, shadow_radius: 5 };
const LEAST: Quality = { antialias: false, most_pixels: 0.5, shadow_pixels: 128, shadow_samples: 2, shadow_radius: 1 };

export function choose_quality(): Quality {
  const asked = new URLSearchParams(window.location.search).get('quality');
  if (asked === 'full') return FULL;
  if (asked === 'modest') return MODEST;
  if (asked === 'least') return LEAST;
  return drawn_by_processor() ? MODEST : FULL;
}

function drawn_by_processor(): boolean {
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) return false;
  const info = probe.getExtension('WEBGL_debug_renderer_info');
  const name = String(probe.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : probe.RENDERER));
  probe.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
