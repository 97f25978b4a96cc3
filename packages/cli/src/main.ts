#!/usr/bin/env node
import { CommanderError } from 'commander';
import { errorLine, exitCodes, tell } from './failure.ts';
import { plain } from './output.ts';
import { createProgram } from './program.ts';

// `tessera members | head`: the reader has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

const isJson = process.argv.includes('--json');
try {
  await createProgram(isJson).parseAsync();
} catch (error) {
  // commander has said what is wrong with the arguments.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { message, code, exitCode } = tell(error);
    process.stderr.write(isJson ? errorLine(code, message) : `tessera: ${plain(message)}\n`);
    process.exitCode = exitCode;
  }
}
