/**
 * The public types of the packages: TypeScript itself is asked whether what is exported now serves
 * where the release's served.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryFolder } from '../../stack/repository.ts';
import type { Break } from './break.ts';

/** A source file of the release and the present one, for one entry of a package. */
export type Entry = { readonly name: string; readonly before: string; readonly now: string };

type Export = { readonly name: string; readonly isType: boolean };

/** What an entry exports. Entries list their exports, `export *` is refused. */
function exportsOf(text: string, file: string): readonly Export[] {
  if (/^ *export \*/m.test(text)) throw new Error(`${file} exports everything of another file: list the names`);
  const listed = [...text.matchAll(/^ *export (type )?\{([^}]*)\}/gms)].flatMap(([, isType, names = '']) =>
    names
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => ({
        name:
          one
            .replace(/^type /, '')
            .split(' as ')
            .at(-1) ?? one,
        isType: isType !== undefined || one.startsWith('type '),
      })),
  );
  const own = [...text.matchAll(/^ *export (?:async )?(?:declare )?(const|function|class|type|interface) (\w+)/gm)].map(
    ([, kind = '', name = '']) => ({
      name,
      isType: kind === 'type' || kind === 'interface',
    }),
  );
  if (listed.length + own.length === 0) throw new Error(`${file} exports nothing that is understood here`);
  return [...listed, ...own];
}

/** Lines that compile only while the export serves; TypeScript names the line of each that not. */
function linesOf({ before, now }: Entry, index: number, folder: string): readonly { readonly name: string; readonly text: string }[] {
  const pathOf = (file: string) => JSON.stringify(relative(folder, file).replace(/^(?!\.)/, './'));
  const present = new Set(exportsOf(readFileSync(now, 'utf8'), now).map(({ name }) => name));
  return exportsOf(readFileSync(before, 'utf8'), before).map(({ name, isType }) => {
    const from = (file: string) => `import(${pathOf(file)})`;
    if (!present.has(name)) return { name, text: `export const gone_${index}_${name}: never = 'gone';` };
    // A type is judged where a function takes or returns it.
    if (isType) return { name, text: '' };
    return {
      name,
      text: `export const kept_${index}_${name} = (now: typeof ${from(now)}.${name}): typeof ${from(before)}.${name} => now;`,
    };
  });
}

const config = {
  extends: join(repositoryFolder, 'tsconfig.json'),
  compilerOptions: {
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable', 'esnext.error'],
    jsx: 'react-jsx',
    noUnusedLocals: false,
    paths: {},
  },
  include: ['serves.ts'],
  // That of the repository leaves node_modules out, and the folder is in it.
  exclude: [],
};

export function packageBreaks(entries: readonly Entry[], folder: string): readonly Break[] {
  const lines = entries.flatMap((entry, index) => linesOf(entry, index, folder).map((line) => ({ ...line, entry: entry.name })));
  writeFileSync(join(folder, 'serves.ts'), lines.map(({ text }) => `${text}\n`).join(''));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const faults = compile(folder);
  const strange = faults.filter(({ file }) => file !== 'serves.ts');
  if (strange.length > 0) throw new Error(`the packages do not compile:\n${strange.map(({ text }) => text).join('\n')}`);
  return faults.map(({ line, text }) => {
    const { name, entry } = lines[line - 1] ?? { name: text, entry: '' };
    return { subject: name, what: text.includes("'never'") ? `is gone from ${entry}` : `of ${entry} no longer serves: ${reasonOf(text)}` };
  });
}

/** The last line is the innermost reason. */
function reasonOf(text: string): string {
  return (text.split('\n').at(-1) ?? text)
    .trim()
    .replaceAll(/import\("[^"]*"\)\./g, '')
    .replace(/\.$/, '');
}

function compile(folder: string) {
  const tsc = join(repositoryFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  let said = '';
  try {
    execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    said = String(Object(error).stdout);
  }
  const faults = [...said.matchAll(/^(\S+)\((\d+),\d+\): error \w+: (.*(?:\n +.*)*)/gm)];
  // A fault of the configuration has no line.
  if (said !== '' && faults.length === 0) throw new Error(`tsc failed: ${said}`);
  return faults.map(([, file = '', line = '', text = '']) => ({ file, line: Number(line), text }));
}

/** Written anew by `npm run generate`; what they say is compared in the OpenAPI document. */
const generated = 'packages/client/src/generated';

type Read = { readonly files: readonly string[]; readonly read: (path: string) => string };

/** The packages of the release beside those here. */
export function releasedPackageBreaks({ files, read }: Read): readonly Break[] {
  const cache = join(repositoryFolder, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'tessera-breaking-'));
  try {
    const sources = files.filter((path) => /^packages\/[^/]+\/(src\/.*\.tsx?|package\.json)$/.test(path) && !path.includes('.test.'));
    for (const path of sources) {
      const present = path.startsWith(generated) ? join(repositoryFolder, path) : undefined;
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), present !== undefined && existsSync(present) ? readFileSync(present, 'utf8') : read(path));
    }
    return packageBreaks(entriesOf(folder), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every entry that the packages of the release export, by the source that it is built from. */
function entriesOf(folder: string): readonly Entry[] {
  return globSync('packages/*/package.json', { cwd: folder }).flatMap((manifest) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, manifest), 'utf8'));
    const built = JSON.stringify(exports).match(/\.\/dist\/(?!cjs)[\w-]+\.d\.ts/g) ?? [];
    return [...new Set(built)].map((target) => {
      const source = join(manifest, '..', target.replace('./dist/', 'src/').replace('.d.ts', '.ts'));
      return { name: String(name), before: join(folder, source), now: join(repositoryFolder, source) };
    });
  });
}
