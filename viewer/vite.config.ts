import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    // three.js is most of it, and it is needed from the first frame on.
    chunkSizeWarningLimit: 1200,
    // The server's security policy allows no data: addresses for fonts.
    assetsInlineLimit: 0,
  },
  // `npm run dev` beside `pliant view --port 8080`.
  server: { proxy: { '/ws': { target: 'ws://127.0.0.1:8080', ws: true }, '/data': 'http://127.0.0.1:8080' } },
});
