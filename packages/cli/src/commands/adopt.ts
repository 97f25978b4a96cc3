/** `tessera grants adopt`: one customer from a project of its own to the grant of a product. */
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { type AdoptPlan, planAdoption, type RoleMap } from '../adopt/plan.ts';
import { openRecord } from '../adopt/record.ts';
import { adopt, goBack, planBack } from '../adopt/run.ts';
import { sidesOf } from '../adopt/sides.ts';
import { type Context, type Globals, openContext, urlOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { colorsFor, counted, oneLine } from '../output.ts';
import { confirm } from './confirm.ts';

type Options = {
  readonly into: string;
  readonly role?: readonly string[];
  readonly map?: string;
  readonly record?: string;
  readonly back?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
};

const help = `
Gives each member of the customer's organization in the product the roles that they have in the organization's own project, by their names.
It offers and accepts the grant where that is missing and you may do it; otherwise it says what the other side does, and goes on from there
the next time. The old project stays as it is. What is done stands in the file of --record before it happens: killed at any moment, the same
command goes on, and --back takes exactly what it gave.

Left out, and named: people who are no members, API keys, apps, webhooks, and what is recorded of people in the old project.`;

export function addAdopt(grants: Command): void {
  grants
    .command('adopt')
    .description('move a customer from a project of its own to your product: the same people with the same roles')
    .argument('<source>', 'the customer’s own project, as <organization>:<project>')
    .requiredOption('--into <product>', 'the project that it uses from now on, as <organization>:<project>')
    .option('--role <old=new...>', 'a role of another name there; nothing behind = leaves it out')
    .option('--map <file>', 'the same as YAML or JSON: one key for each old role, with the new one or null')
    .option('--record <file>', 'what was done, for --back (default: tessera-adopt-<project>.json)')
    .option('--back', 'take back what the record names')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show the plan and change nothing; exit code 4 when there are changes')
    .addHelpText('after', help)
    .action(run);
}

async function run(source: string, options: Options, command: Command): Promise<void> {
  const globals = command.optsWithGlobals<Globals>();
  const context = openContext(globals);
  const sides = sidesOf(source, options.into);
  const file = options.record ?? `tessera-adopt-${sides.source.id.slice(37)}.json`;
  if (options.back === true && !existsSync(file)) throw new Failure(`There is no ${file}: nothing to take back.`, exitCodes.usage);
  const record = openRecord(file, { url: urlOf(globals), source: sides.source.id, product: sides.product.id });
  const deps = { client: context.client, sides, record };
  if (options.back === true) return takeBack(context, deps, options);

  const plan = await planAdoption(context.client, sides, roleMapOf(options));
  const steps = stepsOf(plan);
  say(context, [
    ...steps.map(({ line }) => line),
    ...(plan.leftOut.length > 0 ? ['Not carried over:', ...plan.leftOut.map((line) => `    ${line}`)] : []),
  ]);
  const answer = { plan: steps.map(({ step }) => step), leftOut: plan.leftOut };
  const isPending = record.state.offer !== undefined && record.state.offer.grantId === undefined;
  const isWhole = plan.strangers.length === 0;
  if (steps.length === 0 && !isPending) {
    if (!isWhole) process.exitCode = exitCodes.no;
    return context.output.answer({ ...answer, changes: 0 }, 'Nothing to change.');
  }
  if (!(await isWanted(context, options, answer, steps.length))) return;
  const { changes, waitsFor } = await adopt(deps, plan, progressOf(steps.length));
  if (waitsFor !== undefined || !isWhole) process.exitCode = exitCodes.no;
  context.output.answer(
    { ...answer, changes, record: file, ...(waitsFor === undefined ? {} : { waitsFor }) },
    `${counted(changes, 'change')} made. ${waitsFor ?? `${file} has what --back takes.`}`,
  );
}

async function takeBack(context: Context, deps: Parameters<typeof goBack>[0], options: Options): Promise<void> {
  const plan = planBack(deps.record);
  const { red } = colorsFor(process.stderr);
  const lines = [
    ...plan.people.map(({ userId, roles }) => `${red('-')} ${counted(roles.length, 'role')} of ${userId}`),
    ...(plan.endsGrant ? [`${red('-')} the grant, unless it is used by others meanwhile`] : []),
  ];
  say(context, lines);
  const answer = { plan: { takes: plan.people, endsGrant: plan.endsGrant } };
  if (!(await isWanted(context, options, answer, lines.length))) return;
  const stays = await goBack(deps, plan, progressOf(lines.length));
  const told = stays === undefined ? '' : ` ${stays}`;
  context.output.answer({ ...answer, ...(stays === undefined ? {} : { stays }) }, `Taken back.${told}`);
}

/** False where the plan is all that was wanted. */
async function isWanted({ output }: Context, { yes = false, dryRun = false }: Options, answer: object, count: number): Promise<boolean> {
  if (dryRun) {
    process.exitCode = exitCodes.no;
    output.answer(answer, `${counted(count, 'change')}, none made.`);
    return false;
  }
  if (!yes && !(await confirm(count))) throw new Failure('Nothing was changed.');
  return true;
}

function say({ output }: Context, lines: readonly string[]): void {
  // Not by `note`, which takes the colours for what they are.
  if (!output.isJson && lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`);
}

function progressOf(total: number): (done: number) => void {
  return (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total}${done === total ? '\n' : ''}`);
  };
}

function stepsOf({ offer, isAcceptance, gifts }: AdoptPlan): readonly { readonly line: string; readonly step: object }[] {
  const { green, yellow } = colorsFor(process.stderr);
  return [
    ...(offer === undefined ? [] : [{ line: `${green('+')} the product is offered to the customer`, step: { action: 'offer', ...offer } }]),
    ...(isAcceptance ? [{ line: `${green('+')} the customer accepts it; only an Owner can`, step: { action: 'accept' } }] : []),
    ...gifts.map(({ userId, name, roles }) => ({
      line: `${yellow('~')} ${oneLine(name)} (${userId}) gets ${roles.map((role) => oneLine(role.name)).join(', ')}`,
      step: { action: 'give', userId, roles: roles.map((role) => role.name) },
    })),
  ];
}

function roleMapOf({ role = [], map: file }: Options): RoleMap {
  const map = new Map<string, string | null>(file === undefined ? [] : readMap(file));
  for (const pair of role) {
    const at = pair.indexOf('=');
    if (at < 1) throw new Failure(`${pair} is not <old>=<new>.`, exitCodes.usage);
    map.set(pair.slice(0, at), pair.slice(at + 1) || null);
  }
  return map;
}

function readMap(file: string): [string, string | null][] {
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Failure(`${file} cannot be read as YAML.`, exitCodes.usage, { cause });
  }
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isMap ? Object.entries(value as object) : [];
  if (!isMap || !entries.every(([, name]) => name === null || typeof name === 'string'))
    throw new Failure(`${file} has to name a new role, or null, for each old one.`, exitCodes.usage);
  return entries as [string, string | null][];
}
