import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

/** The goal is 5,000. Until the kernel is that small, this bound keeps it from growing. */
const mostLines = 6_030;
const isSource = (file: string) => !/\.test\.ts$|fixture|\/testing\//.test(file);

/** The kernel's lines that are not blank, without tests and their support. */
export function countKernelLines(): number {
  const folder = join(repositoryFolder, 'kernel', 'src');
  const files = globSync('**/*.ts', { cwd: folder }).filter(isSource);
  return files.reduce(
    (sum, file) =>
      sum +
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '').length,
    0,
  );
}

/**
 * A message when the kernel is over its budget, else ''. Code that one service uses belongs to that
 * service.
 */
export function kernelBudgetFault(lines = countKernelLines()): string {
  return lines <= mostLines ? '' : `The kernel has ${lines} lines that are not blank; its budget is ${mostLines}.`;
}
