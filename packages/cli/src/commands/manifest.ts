import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type Globals, openContext, urlOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { KindName } from '../manifest/kinds.ts';
import { type Kept, planSteps, readState, type Step, takeStep, toManifest } from '../manifest/plan.ts';
import { Manifest, readManifest } from '../manifest/schema.ts';
import { colorsFor, counted, oneLine } from '../output.ts';
import { exportWhole } from '../whole/export.ts';
import { confirm } from './confirm.ts';

type ApplyOptions = { readonly file: string; readonly yes?: boolean; readonly dryRun?: boolean; readonly prune?: boolean };

type ExportOptions = { readonly output?: string; readonly all?: boolean; readonly audit?: boolean };

/** For its owner alone, also where the file was there before and could be read by others. */
function writePrivately(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}

export function addManifest(program: Command): void {
  program
    .command('apply')
    .description('make a project as a manifest describes it: roles, groups, permissions, resources, tags and apps')
    .requiredOption('-f, --file <file>', 'the manifest; - reads standard input')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the plan and change nothing; exit code 4 when there are changes')
    .option('--prune', 'remove what the lists of the manifest leave out: entries, and values inside an entry')
    .action(apply);

  program
    .command('export')
    .description('what stands in a project, as a manifest; with --all an organization or an account whole, in a folder')
    .option('-o, --output <path>', 'write to a file; with --all to a new or empty folder')
    .option('--all', 'people, invitations, webhooks, domains, projects and everything in them, without secrets')
    .option('--audit', 'with --all: the audit log, too')
    .action(async ({ output: file, all = false, audit = false }: ExportOptions, command: Command) => {
      if (all || audit) return exportAll({ file, all, audit }, command);
      const { client, output, projectScope } = openContext(command.optsWithGlobals<Globals>());
      const manifest = toManifest(await readState(client, projectScope()));
      const text = stringify(manifest);
      if (file === undefined) return output.answer(manifest, text.trimEnd());
      writePrivately(file, text);
      return output.answer({ file }, `Written to ${file}.`);
    });

  program
    .command('schema')
    .description('the JSON schema of a manifest, for editors')
    .action(
      () =>
        void process.stdout.write(`${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...Manifest }, null, 2)}\n`),
    );
}

type ExportAll = { readonly file: string | undefined; readonly all: boolean; readonly audit: boolean };

async function exportAll({ file: folder, all, audit }: ExportAll, command: Command): Promise<void> {
  if (!all) throw new Failure('--audit goes with --all.', exitCodes.usage);
  if (folder === undefined) throw new Failure('--all needs a folder: --output <folder>.', exitCodes.usage);
  const globals = command.optsWithGlobals<Globals>();
  const { client, output, scope } = openContext(globals);
  const note = output.isJson ? () => undefined : output.note;
  const contents = await exportWhole({ client, url: urlOf(globals), scope: scope(), folder, hasAudit: audit, note });
  if (contents.changed.length > 0) output.note(`Changed while it was read, so not exact: ${contents.changed.join(', ')}`);
  output.answer({ folder, ...contents }, `${counted(Object.keys(contents.files).length, 'list')} in ${folder}; contents.json says what.`);
}

async function apply({ file, yes = false, dryRun = false, prune = false }: ApplyOptions, command: Command): Promise<void> {
  const { client, output, projectScope } = openContext(command.optsWithGlobals<Globals>());
  const scope = projectScope();
  const manifest = readManifest(readInput(file), file);
  const state = await readState(client, scope);
  const { steps, kept } = planSteps(manifest, state, prune);
  const plan = steps.map(present);
  const prunable = kept.map(presentKept);
  const lines = [...steps.map(describe), ...describeKept(kept)];
  // Not by `note`, which takes the colours for what they are.
  if (!output.isJson && lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`);
  if (steps.length === 0) return output.answer({ plan, prunable }, 'Nothing to change.');
  if (dryRun) {
    process.exitCode = exitCodes.no;
    return output.answer({ plan, prunable }, `${counted(steps.length, 'change')}, none made.`);
  }
  if (!yes && !(await confirm(steps.length))) throw new Failure('Nothing was changed.');

  const made = new Map<string, string>();
  const idOf = (kind: KindName, name: string) => made.get(`${kind} ${name}`) ?? state[kind].get(name)?.id ?? name;
  const secrets: object[] = [];
  for (const [index, step] of steps.entries()) {
    const answer = await takeStep(client, scope, step, idOf).catch((cause: unknown) => {
      output.note(
        `${index} of ${counted(steps.length, 'change')} made; ${step.action} ${step.kind.name.slice(0, -1)} ${oneLine(step.name)} failed. Mend it and apply again.`,
      );
      throw cause;
    });
    if (step.action === 'create') made.set(`${step.kind.name} ${step.name}`, String(answer['id']));
    const { clientId, clientSecret } = answer;
    if (clientId !== undefined) secrets.push({ app: step.name, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) });
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${steps.length}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  const created = secrets.filter((each) => 'clientSecret' in each);
  const shown = created.map((each) => `\n${stringify(each).trimEnd()}`).join('');
  output.answer(
    { plan, prunable, apps: secrets },
    `${counted(steps.length, 'change')} made.${shown === '' ? '' : `\nSecrets, shown here and never again:${shown}`}`,
  );
}

function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new Failure(`${file} cannot be read.`, exitCodes.usage, { cause });
  }
}

function present(step: Step): object {
  const { action, kind, name } = step;
  return { action, kind: kind.name, name, ...(step.action === 'update' ? { changes: step.changes } : {}) };
}

function presentKept({ kind, name, field, values }: Kept): object {
  return { kind: kind.name, name, ...(field === undefined ? {} : { field, values }) };
}

/** What `--prune` would take, so that no reader trusts a manifest which only looks narrower. */
export function describeKept(kept: readonly Kept[]): readonly string[] {
  if (kept.length === 0) return [];
  const lines = kept.map(({ kind, name, field, values = [] }) => {
    const entry = `${kind.name.slice(0, -1)} ${oneLine(name)}`;
    return field === undefined ? `    ${entry}` : `    ${entry}, ${field}: ${values.map(oneLine).join(', ')}`;
  });
  return ['Kept, because --prune was not given:', ...lines];
}

/** For standard error, where the plan goes: a name that others gave is one line of it. */
export function describe(step: Step): string {
  const { green, yellow, red } = colorsFor(process.stderr);
  const signs = { create: green('+'), update: yellow('~'), remove: red('-') };
  const head = `${signs[step.action]} ${step.kind.name.slice(0, -1)} ${oneLine(step.name)}`;
  if (step.action !== 'update') return head;
  return [
    head,
    ...step.changes.map(
      ({ field, before, after }) => `    ${field}: ${oneLine(JSON.stringify(before ?? null))} → ${oneLine(JSON.stringify(after))}`,
    ),
  ].join('\n');
}
