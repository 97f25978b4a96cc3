import type { Pace } from '../load/race.ts';
import { type Machine, short } from '../load/report.ts';

export type Row = {
  readonly work: string;
  readonly product: string;
  /** Of each round, the least first. */
  readonly perSecond: readonly number[];
  readonly cpuMs: readonly number[];
  readonly failures: number;
  readonly note: string;
};

export type Comparison = {
  readonly at: string;
  readonly isQuick: boolean;
  readonly pace: Pace;
  readonly machine: Omit<Machine, 'postgres'>;
  readonly load: { readonly before: number; readonly after: number };
  readonly versions: readonly { readonly name: string; readonly version: string }[];
  readonly rows: readonly Row[];
};

function range(values: readonly number[]): string {
  const [least = Number.NaN, most = Number.NaN] = [values[0], values.at(-1)];
  return short(least) === short(most) ? short(least) : `${short(least)} to ${short(most)}`;
}

export function describeRow({ work, product, perSecond, cpuMs, failures, note }: Row): string {
  return [
    work.padEnd(46),
    product.padEnd(20),
    `CPU ${range(cpuMs)} ms`.padEnd(28),
    `${range(perSecond)} a second`,
    failures > 0 ? `${failures} FAILURES` : '',
    note,
  ].join(' ');
}

/** What each is, and what of the others' work it does not do. */
const whatEachIs = `| | is | does not do |
| --- | --- | --- |
| Tessera | five services and Postgres: people, organizations, projects, sign-in, tokens, roles, decisions, audit log | it is no library in your process, runs on no other database, and its rules are roles with conditions: no policy language with its own tests and releases, as Cerbos has, and no model of one's own, as Casbin's |
| better-auth | a library in your own server: people, sessions, organizations, and plugins for much more | decisions under conditions; here its roles are those of the code. It asks the database at each request unless its cookie cache is on, which it is not here: then the end of a session is noticed late |
| oidc-provider alone | the protocol engine that Tessera has inside | people, passwords, pages, tenants, storage: those are yours to write. Here it keeps nothing, so no token of it can be revoked |
| Cerbos | decisions by policies, without state | people, sign-in, tokens, and who has which role: the caller says that with each question, and vouches for it |
| Casbin | a library for decisions by a model of one's own | everything else, a server too: node:http stands before it here |`;

const method = ({ pace, isQuick, machine, load, at }: Comparison) => `Measured ${at.slice(0, 10)}${isQuick ? ' in a quick run' : ''} on ${
  machine.cores
} cores of ${machine.cpu}, ${short(machine.memoryGibibytes)} GiB, ${machine.system}, Node ${machine.node} for all. The load average was ${short(load.before)} when
the run began and ${short(load.after)} when it ended: client, products and whatever else the machine did shared the cores. **Where it was above the number of cores, rates
show the order of magnitude and no capacity.** The CPU of a request is what can be compared; other load on the machine raises it, for all alike.

- CPU: milliseconds of a request over all processes of the product, with its Postgres, from \`/proc\`; the client is not counted. The least and the most of ${pace.rounds} rounds:
  other load only adds, so the least says most.
- Each kind of request is measured by one client over kept-alive HTTP, 32 at a time (passwords: 2), ${pace.seconds} s a round, after ${pace.warmSeconds} s of warm-up, all products in turn in each round. An answer with another
  status, or with another content, is a failure. Before a decision is measured, the product has to refuse one.
- Tessera runs one process of each service; better-auth, oidc-provider and Casbin one process for each core; Cerbos as many threads as it takes. Postgres keeps every
  commit, with the same settings for both that have one. Limits are off everywhere.
- Signatures are RS256 with 2,048 bits everywhere. Passwords are hashed as each product does it by default.`;

/** docs/comparison.md: nothing in it is written by hand. */
export function renderComparison(comparison: Comparison): string {
  const { rows, versions } = comparison;
  const cells = rows.map(({ work, product, cpuMs, perSecond, failures, note }, index) => [
    rows[index - 1]?.work === work ? '' : work,
    product,
    range(cpuMs),
    range(perSecond),
    [failures > 0 ? `${failures} failures` : '', note].filter((text) => text !== '').join('; '),
  ]);
  return [
    '# Beside others',
    '',
    '<!-- Written by `npm run compare -- --write`. -->',
    '',
    'What of the same work can be had from npm, measured on one machine in one run. `npm run compare` installs the peers into a temporary folder and measures again;',
    '`-- --quick` takes two minutes, `-- --only <work>` a part.',
    '',
    `Versions: ${versions.map(({ name, version }) => `${name} ${version}`).join(', ')}.`,
    '',
    method(comparison),
    '',
    '## The same work',
    '',
    '| Work | Product | CPU, ms a request | Requests a second | What is done |',
    '| --- | --- | --- | --- | --- |',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
    '',
    'A product that is missing in a row does not do that work, or was not asked: better-auth has a plugin that is an OAuth provider. No row is a verdict: where the last column differs, the work does.',
    '',
    '## What each is',
    '',
    whatEachIs,
    '',
  ].join('\n');
}
