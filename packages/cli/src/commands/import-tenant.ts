import type { Command } from 'commander';
import { type Globals, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { counted, createOutput, oneLine } from '../output.ts';
import { type Made, planImport } from '../whole/import.ts';
import { readExported } from '../whole/read.ts';
import { confirm } from './confirm.ts';

type Options = { readonly yes?: boolean; readonly dryRun?: boolean; readonly people: boolean };

const help = `
--scope account:<id> makes the organization in that account, or goes on in the one of its name; --scope organization:<id> fills an
organization that is there. Repeated or interrupted, it makes nothing twice: things are the same by their name, people by their address.

Taken over: the organization with its security, its tags, permissions, groups and roles; projects with their tags, resources,
permissions, groups, roles and apps; members and open invitations, as invitations by mail with the same role.
Left out, and named: owners (no invitation gives that role), people without an address, API keys, webhooks, domains,
people of projects, the audit log. Passwords, second factors and keys never travel; apps get new ids and secrets, which are shown once.`;

export function addImportTenant(program: Command): void {
  program
    .command('import-tenant')
    .description('make an organization or account, exported with --all from another installation, here')
    .argument('<folder>', 'what `tessera export --all` wrote')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the plan and change nothing; exit code 4 when there are changes')
    .option('--no-people', 'invite no one')
    .addHelpText('after', help)
    .action(run);
}

async function run(folder: string, { yes = false, dryRun = false, people }: Options, command: Command): Promise<void> {
  const globals = command.optsWithGlobals<Globals>();
  const exported = await readExported(folder).catch((cause: unknown) => {
    throw cause instanceof Failure ? cause : new Failure(`${folder} cannot be read.`, exitCodes.usage, { cause });
  });
  const { client, scope } = openContext(globals);
  const output = createOutput(globals.json === true);
  const { changes, place } = await planImport({ client, scope: scope(), exported, hasPeople: people, patience: { note: output.note } });
  const plan = changes.flatMap(({ lines }) => lines);
  const { left } = exported;
  if (!output.isJson) {
    if (left.length > 0) output.note(`Left out:\n${left.map((line) => `  ${oneLine(line)}`).join('\n')}`);
    output.note(plan.map(oneLine).join('\n'));
  }
  if (changes.length === 0) return output.answer({ plan, left }, 'Nothing to change.');
  if (dryRun) {
    process.exitCode = exitCodes.no;
    return output.answer({ plan, left }, `${counted(plan.length, 'change')}, none made.`);
  }
  if (!yes && !(await confirm(plan.length))) throw new Failure('Nothing was changed.');

  const made: Made = { place, secrets: [] };
  for (const [index, change] of changes.entries())
    await change.take(made).catch((cause: unknown) => {
      tell(made);
      output.note(`${index} of ${counted(changes.length, 'part')} made. The same command goes on from there.`);
      throw cause;
    });
  const shown = output.isJson ? '' : secretsOf(made);
  const where = made.place === undefined ? {} : { scope: `${made.place.tenant}:${made.place.id}` };
  output.answer(
    { ...where, plan, left, apps: made.secrets },
    `${counted(plan.length, 'change')} made in ${Object.values(where).join('')}.${shown}`,
  );

  /** Secrets of apps that were made before a failure are shown too: they are never seen again. */
  function tell(before: Made): void {
    if (before.secrets.length > 0) output.note(secretsOf(before).trimStart());
  }
}

function secretsOf({ secrets }: Made): string {
  const lines = secrets.map(({ project, app, clientId, clientSecret }) =>
    `\n  ${oneLine(project)}, ${oneLine(app)}: ${clientId} ${clientSecret ?? ''}`.trimEnd(),
  );
  return lines.length === 0 ? '' : `\nApps, with secrets that are shown here and never again:${lines.join('')}`;
}
