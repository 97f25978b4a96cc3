import { expect, test } from '@jest/globals';
import { commentFaults } from './comments.ts';

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
