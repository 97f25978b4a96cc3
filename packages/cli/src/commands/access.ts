import type { Command } from 'commander';
import { type Globals, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { oneLine } from '../output.ts';

export function addAccess(program: Command): void {
  const decisions = program.command('decisions').description('what you may do, and why');
  decisions
    .command('check')
    .description('may you do this? Exit code 4 means no')
    .argument('<resource>', 'the slug of a resource, or a built-in one as Role')
    .argument('<action>')
    .option('--target <json>', 'what conditions read as resource.*')
    .action(async (resource: string, action: string, { target }: { target?: string }, command: Command) => {
      const { client, output, scope } = openContext(command.optsWithGlobals<Globals>());
      const context = target === undefined ? {} : { context: { resource: readTarget(target) } };
      const decision = await client.isAuthorized({ scope: scope(), permission: { resource, action }, ...context });
      const { matchedPermission: matched } = decision;
      const path = matched && [matched.role.name, matched.group?.name, matched.name].filter(Boolean).map(oneLine).join(' → ');
      const condition = decision.matchedCondition && `\n  condition ${JSON.stringify(decision.matchedCondition)}`;
      output.answer(decision, `${decision.authorized ? 'yes' : 'no'}: ${decision.reason}${path ? `\n  ${path}` : ''}${condition ?? ''}`);
      if (!decision.authorized) process.exitCode = exitCodes.no;
    });
  decisions
    .command('list')
    .description('everything that you may do in the scope')
    .action(async (_: object, command: Command) => {
      const { client, output, scope } = openContext(command.optsWithGlobals<Globals>());
      const { permissions } = await client.listPermissions({ scope: scope() });
      output.table(permissions, ['resource', 'action', 'condition'], 'You may do nothing here.');
    });
}

function readTarget(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Failure(`--target must be a JSON object, as '{"amount": 100}'.`, exitCodes.usage);
}
