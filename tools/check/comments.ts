import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

const widest = 100;
/**
 * Pronouns that hide the subject of a sentence: name the client, the caller, the process instead.
 */
const vague = /\b(whoever|nobody|somebody|everybody|anybody)\b/i;
const commentLine = /^\s*(?:\/\/|\/\*\*?|\*)(?=\s|\/|$)/;
const directive = /biome-ignore|oxlint-disable|https?:\/\//;

const page = /(?<![\w/.-])[\w./-]+\.md\b/g;

/** The comments of one file that are too wide or too vague, as `line: reason`. */
export function commentFaults(source: string): readonly string[] {
  let isExample = false;
  return source.split('\n').flatMap((line, index) => {
    if (!commentLine.test(line)) {
      isExample = false;
      return [];
    }
    if (line.includes('@example')) isExample = true;
    if (line.includes('*/')) isExample = false;
    if (isExample || directive.test(line)) return [];
    return [
      ...(line.length > widest ? [`${index + 1}: the comment has ${line.length} columns, at most ${widest} are allowed`] : []),
      ...(vague.test(line) ? [`${index + 1}: name the subject instead of '${vague.exec(line)?.[0]}'`] : []),
    ];
  });
}

/**
 * Pages that comments name and that the repository does not have. They are named from its root, or
 * beside the file.
 */
export function missingPages(file: string, source: string, isThere: (path: string) => boolean): readonly string[] {
  return source.split('\n').flatMap((line, index) => {
    const comment = commentLine.test(line) ? line : (/ \/\/ [^'"`]*$/.exec(line)?.[0] ?? '');
    if (directive.test(comment)) return [];
    const missing = [...comment.matchAll(page)]
      .map(([name]) => name)
      .filter((name) => !isThere(name) && !isThere(join(dirname(file), name)));
    return missing.map((name) => `${index + 1}: the repository has no ${name}`);
  });
}

/** The same for all source files of the repository. */
export function findCommentFaults(): readonly string[] {
  const listed = spawnSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: repositoryFolder, encoding: 'utf8' }).stdout;
  const files = listed.split('\n').filter((file) => file !== '' && !file.includes('generated/'));
  const isThere = (path: string) => existsSync(join(repositoryFolder, path));
  return files.flatMap((file) => {
    const source = readFileSync(join(repositoryFolder, file), 'utf8');
    return [...commentFaults(source), ...missingPages(file, source, isThere)].map((fault) => `${file}:${fault}`);
  });
}
