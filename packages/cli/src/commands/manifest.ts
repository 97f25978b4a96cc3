import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { type TesseraClient, TesseraError } from '@tessera/client';
import type { Command } from 'commander';
import { Document, isMap, stringify } from 'yaml';
import { type Globals, openContext, urlOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import {
  describeGrant,
  describeWaiting,
  type GrantPlan,
  type GrantStep,
  grantEntries,
  planGrants,
  presentGrant,
  productScopeOf,
  readGrants,
  takeGrantStep,
} from '../manifest/grants.ts';
import type { KindName, ProjectScope } from '../manifest/kinds.ts';
import { describeChange, type Kept, planSteps, readState, referenceOf, type Step, takeStep, toManifest } from '../manifest/plan.ts';
import { Manifest, readManifest } from '../manifest/schema.ts';
import { colorsFor, counted, type Output, oneLine } from '../output.ts';
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
    .description('make a project as a manifest describes it: roles, groups, permissions, resources, tags, apps and customers')
    .requiredOption('-f, --file <file>', 'the manifest; - reads standard input')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the plan and change nothing; exit code 4 when there are changes')
    .option('--prune', 'remove what the lists of the manifest leave out: entries, values inside an entry, and end grants')
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
      const { manifest, text } = await manifestOf(client, projectScope(), output.note);
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

/** With the customers, where the caller may see them; the name of each stands beside its id. */
async function manifestOf(client: TesseraClient, scope: ProjectScope, note: Output['note']) {
  const state = await readState(client, scope);
  const model = toManifest(state);
  if (scope.tenant !== 'organizationProject') return { manifest: model, text: stringify(model) };
  const grants = await readGrants(client, productScopeOf(scope)).catch((error: unknown) => {
    if (!(error instanceof TesseraError && error.code === 'FORBIDDEN')) throw error;
    note('Without the grants of the project: your role may not read them.');
    return [];
  });
  const entries = grantEntries(grants, state);
  if (entries.length === 0) return { manifest: model, text: stringify(model) };
  const manifest: Manifest = { ...model, grants: entries.map(({ entry }) => entry) };
  const document = new Document(manifest);
  for (const [index, { title }] of entries.entries()) {
    const node = document.getIn(['grants', index], true);
    if (isMap(node) && title !== '') node.commentBefore = ` ${title}`;
  }
  return { manifest, text: document.toString() };
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
  const { client, output, isPerson, projectScope } = openContext(command.optsWithGlobals<Globals>());
  const scope = projectScope();
  const manifest = readManifest(readInput(file), file);
  const state = await readState(client, scope);
  const model = planSteps(manifest, state, prune);
  const grants = await planCustomers({ client, manifest, state, isPruning: prune, isPerson }, scope);
  // A role is made before a grant names it, and is taken away after none does.
  const [removals, others] = [model.steps.filter(isRemoval), model.steps.filter((step) => !isRemoval(step))];
  const steps: readonly AnyStep[] = [...others, ...grants.steps, ...removals];
  const kept = [...model.kept, ...grants.kept];
  const answer = {
    plan: steps.map((step) => ('grant' in step ? presentGrant(step) : present(step))),
    prunable: kept.map(presentKept),
    ...(manifest.grants === undefined ? {} : { waiting: grants.waiting }),
  };
  const lines = [...steps.map(describeAny), ...describeKept(kept), ...describeWaiting(grants.waiting)];
  // Not by `note`, which takes the colours for what they are.
  if (!output.isJson && lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`);
  if (steps.length === 0) return output.answer(answer, 'Nothing to change.');
  if (dryRun) {
    process.exitCode = exitCodes.no;
    return output.answer(answer, `${counted(steps.length, 'change')}, none made.`);
  }
  if (!yes && !(await confirm(steps.length))) throw new Failure('Nothing was changed.');

  const made = new Map<string, string>();
  const idOf = (kind: KindName, name: string) =>
    made.get(`${kind} ${name}`) ?? state[kind].get(name)?.reference ?? state[kind].get(name)?.id ?? name;
  const takeCustomerStep = (step: GrantStep) => takeGrantStep(client, productScopeOf(scope), step, (name) => idOf('roles', name));
  const secrets: object[] = [];
  for (const [index, step] of steps.entries()) {
    const taken = 'grant' in step ? takeCustomerStep(step) : takeStep(client, scope, step, idOf);
    const done = await taken.catch((cause: unknown) => {
      const what = 'grant' in step ? `${step.grant} grant` : `${step.action} ${step.kind.name.slice(0, -1)}`;
      output.note(`${index} of ${counted(steps.length, 'change')} made; ${what} ${oneLine(step.name)} failed. Mend it and apply again.`);
      throw cause;
    });
    if ('grant' in step) {
      if (done['isMailed'] === false)
        output.note(`${oneLine(step.name)} wants no invitations: nothing was sent. Tell the person yourself.`);
    } else if (step.action === 'create') made.set(`${step.kind.name} ${step.name}`, referenceOf(step.kind, done));
    const { clientId, clientSecret } = done;
    if (clientId !== undefined) secrets.push({ app: step.name, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) });
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${steps.length}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  const created = secrets.filter((each) => 'clientSecret' in each);
  const shown = created.map((each) => `\n${stringify(each).trimEnd()}`).join('');
  output.answer(
    { ...answer, apps: secrets },
    `${counted(steps.length, 'change')} made.${shown === '' ? '' : `\nSecrets, shown here and never again:${shown}`}`,
  );
}

type AnyStep = Step | GrantStep;

function isRemoval({ action }: Step): boolean {
  return action === 'remove';
}

function describeAny(step: AnyStep): string {
  return 'grant' in step ? describeGrant(step) : describe(step);
}

/** Grants are read only where the manifest has some: not every role may. */
async function planCustomers(given: Omit<Parameters<typeof planGrants>[0], 'grants'>, scope: ProjectScope): Promise<GrantPlan> {
  if (given.manifest.grants === undefined) return { steps: [], kept: [], waiting: [] };
  return planGrants({ ...given, grants: await readGrants(given.client, productScopeOf(scope)) });
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
  return [head, ...step.changes.map(describeChange)].join('\n');
}
