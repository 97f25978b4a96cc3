import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../../../../test/support/until.ts';
import { createLineWriter } from './line-writer.ts';

test('createLineWriter writes all lines in order, and the last ones when it stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  const writer = createLineWriter(join(folder, 'log'));
  const written = () => readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(0, -1).map(Number);
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  for (const number of numbers) writer.write(`${number}\n`);
  await until(() => written().length >= numbers.length);
  expect(written()).toStrictEqual(numbers);
  writer.write('20000\n');
  writer.stop();
  expect(written()).toStrictEqual([...numbers, 20_000]);
  rmSync(folder, { recursive: true });
});
