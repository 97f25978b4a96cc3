/** A part of Mantine without its own style sheet looks broken, and nothing else says so. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';

const web = join(repositoryFolder, 'web', 'src');
const sheets = join(repositoryFolder, 'node_modules', '@mantine', 'core', 'styles');

function imported(...files: readonly string[]): ReadonlySet<string> {
  const found = files.flatMap((file) => [...readFileSync(join(web, file), 'utf8').matchAll(/core\/styles\/(\w+)\.css/g)]);
  return new Set(found.map(([, name = '']) => name));
}

/** The parts of Mantine that these folders use and that have a style sheet. */
function used(...folders: readonly string[]): string[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.tsx`, { cwd: web }));
  const names = files.flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.trim()),
    ),
  );
  return [...new Set(names)].filter((name) => existsSync(join(sheets, `${name}.css`))).toSorted();
}

test('every part of Mantine on the pages and in the console has its style sheet there', () => {
  const onPages = imported('look/styles.css');
  const inConsole = imported('look/styles.css', 'console/console.css');
  const pages = used('pages', 'parts', 'look', 'session');
  expect(pages).toContain('Checkbox');
  expect(pages.filter((name) => !onPages.has(name))).toStrictEqual([]);
  expect(used('console').filter((name) => !inConsole.has(name))).toStrictEqual([]);
});
