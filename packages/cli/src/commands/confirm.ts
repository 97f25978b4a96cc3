import { createInterface } from 'node:readline/promises';
import { exitCodes, Failure } from '../failure.ts';

/** Asks at the terminal. Throws where there is none. */
export async function confirm(changes: number): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Failure('There is no terminal to ask. Look at the plan with --dry-run, then apply with --yes.', exitCodes.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Make ${changes === 1 ? 'this change' : `these ${changes} changes`}? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
