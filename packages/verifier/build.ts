/**
 * Writes dist/: the package as it is published, in JavaScript that any Node from 20 on runs. `npm
 * publish ./dist` from there.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const dist = join(here, 'dist');
const tsc = join(here, '..', '..', 'node_modules', '.bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
const { name, version, license, type, exports, dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const published = Object.fromEntries(
  Object.entries<string>(exports).map(([path, source]) => {
    const base = source.replace('./src/', './').replace(/\.ts$/, '');
    return [path, { types: `${base}.d.ts`, default: `${base}.js` }];
  }),
);
const manifest = { name, version, license, type, engines: { node: '>=20' }, exports: published, dependencies };
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(here, 'README.md'), join(dist, 'README.md'));
