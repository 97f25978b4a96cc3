import { spawnSync } from 'node:child_process';
import { repositoryFolder } from '../stack/repository.ts';

interface Word {
  readonly pattern: string;
  readonly reason: string;
}

const words: readonly Word[] = [
  { pattern: 'TO[D]O|FIX[M]E|XX[X]:', reason: 'do it, or write an issue' },
  { pattern: '@ts-(ignor[e]|nochec[k])', reason: 'mend the type' },
  { pattern: 'not implemente[d]', reason: 'implement it, or leave it out' },
  { pattern: '\\.(only|todo)[(]', reason: 'a test that is switched off or alone hides the others' },
  { pattern: '^(<<<<<<[<] |>>>>>>[>] )', reason: 'a conflict that was not resolved' },
  { pattern: '(^|[^a-z0-9_.$/-])/(wor[k]|farm|home/[a-z]+|Users/[a-z]+)/', reason: 'a path of one machine' },
  { pattern: '"resolve[d]": "http', reason: 'the address of a registry (npm config omit-lockfile-registry-resolved)' },
];
const notOurs = [':!*.svg', ':!tools/check/words.ts', ':!docs/decisions'];

/** What should not stand in the project, with its place. */
export function findWords(): readonly string[] {
  return words.flatMap(({ pattern, reason }) => {
    const where = pattern.startsWith('"resolve') ? ['package-lock.json'] : ['.', ':!package-lock.json', ...notOurs];
    const found = spawnSync('git', ['grep', '-nIE', pattern, '--', ...where], { cwd: repositoryFolder, encoding: 'utf8' }).stdout;
    return found.split('\n').flatMap((line) => (line === '' ? [] : [`${line.slice(0, 160)}   (${reason})`]));
  });
}
