import { expect, test } from '@jest/globals';
import { commentFaults, missingPages } from './comments.ts';

test('a comment wider than 100 columns is refused, and code of that width is not', () => {
  const wide = `/** ${'word '.repeat(25)}*/`;
  expect(commentFaults(wide)).toStrictEqual([`1: the comment has ${wide.length} columns, at most 100 are allowed`]);
  expect(commentFaults(`const text = '${'word '.repeat(25)}';`)).toStrictEqual([]);
});

test('a comment with a vague subject is refused', () => {
  expect(commentFaults('// Whoever asks gets it.')).toStrictEqual(["1: name the subject instead of 'Whoever'"]);
  expect(commentFaults('// The caller gets it.')).toStrictEqual([]);
});

test('an example in a comment may be wide', () =>
  expect(commentFaults(`/**\n * @example\n *   ${'x'.repeat(120)}\n */`)).toStrictEqual([]));

test('a page that a comment names must be in the repository, from its root or beside the file', () => {
  const isThere = (path: string) => ['docs/openid.md', 'kernel/README.md'].includes(path);
  const source = [
    '/** See docs/openid.md. */',
    'const a = 1; // README.md says why',
    '// missing.md section 5',
    'const page = "none.md"; // nowhere.md',
    'const text = "// in-a-text.md";',
  ].join('\n');
  expect(missingPages('kernel/one.ts', source, isThere)).toStrictEqual([
    '3: the repository has no missing.md',
    '4: the repository has no nowhere.md',
  ]);
});
