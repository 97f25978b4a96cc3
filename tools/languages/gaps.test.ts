import { expect, test } from '@jest/globals';
import { allGaps, faultsOf, gapsOf } from './gaps.ts';
import { messages } from './messages.ts';

test('no language lacks more than one text in ten, and each translation has the values of its text', () => {
  const { all, gaps } = allGaps();
  expect(gaps.map(({ language }) => language)).toStrictEqual(expect.arrayContaining(['es', 'fr']));
  expect(gaps.flatMap((gap) => faultsOf(gap, all))).toStrictEqual([]);
});

test('texts of pages, console, mails, errors and reasons are all among those to translate', () => {
  const said = new Set(messages());
  const some = [
    'Sign in',
    'Audit log',
    'Sign in to "{appName}"',
    'Sign in to do this.',
    'must be one of {1}',
    "'{1}' is no operator",
    'assigned',
  ];
  expect(some.filter((text) => !said.has(text))).toStrictEqual(['assigned']);
});

test('a lacking text, a left-over one and a forgotten value are named', () => {
  const gap = gapsOf('xx', { 'Hello {name}': 'Salut', Gone: 'Parti' }, ['Hello {name}', 'New']);
  expect(gap).toStrictEqual({ language: 'xx', lacking: ['New'], unused: ['Gone'], wrong: ['Hello {name}'] });
  expect(faultsOf(gap, 2)).toHaveLength(2);
});
