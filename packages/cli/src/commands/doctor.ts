import type { Command } from 'commander';
import { type Globals, urlOf } from '../context.ts';
import { countLevels, textOfFindings } from '../doctor/finding.ts';
import { examineOutside } from '../doctor/outside.ts';
import { exitCodes, Failure } from '../failure.ts';
import { createOutput } from '../output.ts';

const help = `
For operators, without a sign-in: is everything there that clients need, and is anything unsafe to be seen? What cannot be seen from
outside (configuration, databases, stores) is looked at by \`npm run doctor\` beside the services.
Exit codes: 0 nothing to do, 1 something does not work, 4 it works but is unsafe for production.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('whether a Tessera works and is safe, as far as it can be seen from outside')
    .option('--timeout <seconds>', 'how long an answer may take', '5')
    .addHelpText('after', help)
    .action(async ({ timeout }: { readonly timeout: string }, command: Command) => {
      const globals = command.optsWithGlobals<Globals>();
      const url = urlOf(globals);
      const timeoutMs = Number(timeout) * 1_000;
      if (!(timeoutMs > 0 && timeoutMs <= 600_000)) throw new Failure('--timeout is a number of seconds.', exitCodes.usage);
      const findings = await examineOutside(url, timeoutMs);
      const counts = countLevels(findings);
      if (counts.error > 0) process.exitCode = exitCodes.failed;
      else if (counts.unsafe > 0) process.exitCode = exitCodes.no;
      createOutput(globals.json === true).answer({ url, findings, counts }, textOfFindings(findings));
    });
}
