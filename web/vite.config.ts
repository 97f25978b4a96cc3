import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const gateway = process.env['TESSERA_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: here('.'),
  resolve: {
    // The client's sources: its dist/ is made only to be published.
    alias: { '@tessera/client': here('../packages/client/src/index.ts') },
    dedupe: ['react', 'react-dom'],
  },
  build: {
    outDir: here('dist'),
    emptyOutDir: true,
    // A file inside another one would be inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // React's `use client` means nothing to a page that is built as one.
      checks: { moduleLevelDirective: false },
      input: { pages: here('pages.html'), console: here('console.html') },
    },
  },
  server: { proxy: { '/api': gateway, '/pictures': gateway, '/graphql': gateway } },
});
