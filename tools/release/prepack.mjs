// `prepack` of each package that others install: what `npm pack` packs is built anew, with the
// licence. Plain JavaScript, because npm runs it on the host's Node.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 2, 2] });
// npm packs files of the package's own folder only. Git ignores these copies.
for (const file of ['LICENSE', 'NOTICE']) copyFileSync(`../../${file}`, file);
