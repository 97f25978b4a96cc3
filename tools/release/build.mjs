// `build` of each package that others install: `dist` for `import`, `dist/cjs` for `require`, both
// with types. Plain JavaScript, because npm runs it on the host's Node.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const compile = (...options) => execFileSync('tsc', ['-p', 'tsconfig.build.json', ...options], { stdio: ['ignore', 2, 2] });
// Below the package's own "type": "module", this manifest makes the files of a folder CommonJS.
const commonjs = ['--outDir', 'dist/cjs', '--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'];

compile();
if (JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).exports).includes('/cjs/')) {
  compile(...commonjs);
  mkdirSync('dist/cjs', { recursive: true });
  writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
}
