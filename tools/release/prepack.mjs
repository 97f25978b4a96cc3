// `prepack` of each package that others install: what `npm pack` packs is built anew, with the
// licence. Plain JavaScript, because npm runs it on the host's Node.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 2, 2] });
// npm packs files of the package's own folder only. Git ignores these copies.
for (const file of ['LICENSE', 'NOTICE']) copyFileSync(`../../${file}`, file);

// npm itself packs what is there, and is silent about what is not.
const targetsOf = (part) => (typeof part === 'string' ? [part] : Object.values(part ?? {}).flatMap(targetsOf));
const { name, exports, bin, files } = JSON.parse(readFileSync('package.json', 'utf8'));
const missing = [...targetsOf(exports), ...targetsOf(bin), ...files].filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.error(`${name} was not packed: its build made no ${missing.join(', ')}.`);
  process.exit(1);
}
