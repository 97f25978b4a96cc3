import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const gateway = process.env['TESSERA_URL'] ?? 'http://localhost:3000';

const compressible = new Set(['.html', '.js', '.css', '.svg']);

/**
 * Writes `<file>.br` beside each file. The best quality takes seconds, so it is done once, here;
 * the gateway sends these bytes as they are.
 */
function compressAtBuild(): Plugin {
  return {
    name: 'compress-at-build',
    apply: 'build',
    writeBundle({ dir }) {
      for (const name of readdirSync(dir ?? here('dist'), { recursive: true, encoding: 'utf8' })) {
        if (!compressible.has(extname(name))) continue;
        const path = join(dir ?? here('dist'), name);
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }));
      }
    },
  };
}

/**
 * Something turns before any other file has come: its style is in the page, and the style sheets,
 * which hold up what stands after them, are last. The gateway allows this style by its hash.
 */
function showAtOnce(): Plugin {
  return {
    name: 'show-at-once',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const sheets = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
        const first = readFileSync(here('src/look/first.css'), 'utf8').replace(/\s+/g, ' ');
        const rest = sheets.reduce((text, sheet) => text.replace(sheet, ''), html);
        return rest.replace('</head>', `  <style>${first}</style>\n  </head>`).replace('</body>', `${sheets.join('')}  </body>`);
      },
    },
  };
}

export default defineConfig({
  root: here('.'),
  plugins: [showAtOnce(), compressAtBuild()],
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
      input: { pages: here('pages.html'), console: here('console.html'), 'api-tools': here('src/api-tools/main.ts') },
    },
  },
  server: { proxy: { '/api': gateway, '/pictures': gateway, '/graphql': gateway } },
});
