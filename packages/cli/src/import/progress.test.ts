import { expect, test } from '@jest/globals';
import { createProgress } from './progress.ts';

const counts = { created: 40, exists: 1, skipped: 1, invalid: 0 };

test('a bar on a terminal, and nothing without one', () => {
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  const silent = createProgress(100, { isTTY: false, write });
  silent.show(50, counts);
  silent.end();
  expect(shown).toBe('');
  const bar = createProgress(100, { isTTY: true, write });
  bar.show(50, counts);
  bar.show(500, counts);
  bar.end();
  expect(shown).toMatch(/^\r█{12}░{12} {2}50 % {2}42 people, \d+ a minute \r█{24} 100 % {2}42 people, \d+ a minute \n$/);
  createProgress(0, { isTTY: true, write }).show(0, counts);
});
