/**
 * `npm run release -- [FOLDER]`: the packages that others install, built anew, as files for
 * `npm publish`. It is the only way: in the repository they are private, which npm refuses.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { packRelease, publishedPackages } from './pack.ts';

const [folder = 'dist'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const name of publishedPackages) {
  const file = packRelease(join(repositoryFolder, 'packages', name), resolve(folder));
  process.stdout.write(`npm publish --access public ${file}\n`);
}
