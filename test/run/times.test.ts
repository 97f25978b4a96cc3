import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { describeTimes, readProcessorTime } from './times.ts';

function file(name: string, project: string, seconds: number) {
  return { testFilePath: join(repositoryFolder, name), perfStats: { runtime: seconds * 1_000 }, displayName: { name: project } };
}

test('a run says the seconds of each project and names its slowest files first', () => {
  const files = [file('a.test.ts', 'unit', 1.5), file('b.test.ts', 'service', 12), file('c.test.ts', 'unit', 2.25)];
  expect(describeTimes(files)).toStrictEqual([
    'Seconds inside files: unit 4 s in 2 files, service 12 s in 1 files',
    'Slowest files:',
    '   12.0 s  b.test.ts',
    '    2.3 s  c.test.ts',
    '    1.5 s  a.test.ts',
  ]);
});

test('it shows no more than twenty files', () => {
  const files = Array.from({ length: 30 }, (_, seconds) => file(`${seconds}.test.ts`, 'unit', seconds));
  const lines = describeTimes(files);
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('   10.0 s  10.test.ts');
});

test('busy and stolen cores are the difference of the system’s counters over the time of the run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const read = (line: string, at: number) => {
    writeFileSync(join(folder, 'stat'), `${line}\ncpu0 1 1 1\n`);
    return readProcessorTime(join(folder, 'stat'), at);
  };
  //                      user nice system idle iowait irq softirq steal
  const before = read('cpu  1000 0 500 9000 10 0 0 100 0 0', 100);
  const after = read('cpu  2000 100 700 9900 10 100 100 200 0 0', 110);
  expect(describeTimes([], before, after)[1]).toBe('Busy cores: 1.50, stolen by other machines: 0.10, over 10 s');
});

test('without the system’s counters nothing is said of cores', () => {
  expect(readProcessorTime('/does/not/exist')).toBeUndefined();
});
