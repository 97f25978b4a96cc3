import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

/** What services are built on stays small: code that one service uses belongs to that service. */
export const budgets = { kernel: 5_000, server: 1_200 } as const;
export type Budgeted = keyof typeof budgets;

const isSource = (file: string) => !/\.test\.ts$|fixture|(?:^|\/)testing\//.test(file);

/** The lines of a workspace that are not blank, without tests and their support. */
export function countLines(workspace: Budgeted): number {
  const folder = join(repositoryFolder, workspace, 'src');
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

/** A message when the workspace is over its budget, else ''. */
export function budgetFault(workspace: Budgeted, lines = countLines(workspace)): string {
  const most = budgets[workspace];
  return lines <= most ? '' : `${workspace}/src has ${lines} lines that are not blank; its budget is ${most}.`;
}

/** The faults of all workspaces that have a budget. */
export function findBudgetFaults(): readonly string[] {
  return [budgetFault('kernel'), budgetFault('server')].filter((fault) => fault !== '');
}
