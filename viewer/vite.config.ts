import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/// What the page brings along, and under which terms.
const BROUGHT = { 'three.js': 'three/LICENSE', 'Inter (the font)': '@fontsource-variable/inter/LICENSE' };

function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const parts = Object.entries(BROUGHT).map(([name, file]) => {
        const text = readFileSync(new URL(`node_modules/${file}`, import.meta.url), 'utf8');
        return `${name}\n\n${text.trim()}\n`;
      });
      this.emitFile({ type: 'asset', fileName: 'assets/licences.txt', source: parts.join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [licences()],
  build: {
    target: 'es2022',
    // three.js is most of it, and it is needed from the first frame on.
    chunkSizeWarningLimit: 1200,
    // The server's security policy allows no data: addresses for fonts.
    assetsInlineLimit: 0,
  },
});
