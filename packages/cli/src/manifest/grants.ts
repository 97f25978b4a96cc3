/** The customers of a project in its manifest: on which terms each organization uses it. */
import { isDeepStrictEqual } from 'node:util';
import type { Item, TesseraClient } from '@tessera/client';
import { Failure } from '../failure.ts';
import { colorsFor, counted, oneLine } from '../output.ts';
import { all } from '../pages.ts';
import { type Change, comparable, describeChange, isId, type Kept, leftOut, merged, type State } from './plan.ts';
import type { Entry, Manifest } from './schema.ts';

export type GrantEntry = NonNullable<Manifest['grants']>[number];
export type StandingGrant = Item<'listProjectGrants'>;
type ProductScope = { readonly tenant: 'organizationProject'; readonly id: string };
type Customer = { readonly organizationId: string } | { readonly email: string };

export type GrantStep = { readonly name: string } & (
  | { readonly grant: 'offer'; readonly entry: GrantEntry; readonly to: Customer }
  | { readonly grant: 'update'; readonly standing: StandingGrant; readonly changes: readonly Change[] }
  | { readonly grant: 'suspend' | 'resume' | 'end'; readonly standing: StandingGrant }
);
/** What stays because nothing is pruned: a grant, or values of one of its fields. */
export type KeptGrant = Kept & { readonly kind: { readonly name: 'grants' } };
/** What is for the customer to do: no change of ours makes it true. */
export type WaitingGrant = { readonly name: string; readonly status: 'offered' | 'declined' };
export type GrantPlan = {
  readonly steps: readonly GrantStep[];
  readonly kept: readonly KeptGrant[];
  readonly waiting: readonly WaitingGrant[];
};

export function productScopeOf(scope: { readonly tenant: string; readonly id: string }): ProductScope {
  if (scope.tenant === 'organizationProject') return { tenant: scope.tenant, id: scope.id };
  throw new Failure('Only the project of an organization has grants: take `grants` out of the manifest.');
}

/** All that there were, the newest first. */
export function readGrants(client: TesseraClient, scope: ProductScope): Promise<StandingGrant[]> {
  return all(client.listProjectGrants({ scope, limit: 100, sortField: 'createdAt', sortOrder: 'desc' }));
}

/** It is in use, or may still be accepted. */
export function isOpen({ status, expiresAt }: StandingGrant): boolean {
  if (status === 'offered') return expiresAt === null || Date.parse(expiresAt) > Date.now();
  return status === 'active' || status === 'suspended';
}

function nameOf({ organization, email }: GrantEntry): string {
  if ((organization === undefined) === (email === undefined)) throw new Failure('A grant has either an organization or an email.');
  return organization ?? email ?? '';
}

function means({ organization, email }: GrantEntry, grant: StandingGrant): boolean {
  if (organization !== undefined) return [grant.organization?.id, grant.organization?.slug].includes(organization);
  return grant.email?.toLowerCase() === email?.toLowerCase();
}

/** The ids of organizations by their slugs: those with a grant, and those that the caller is in. */
async function slugsKnown(client: TesseraClient, grants: readonly StandingGrant[], isPerson: boolean): Promise<Map<string, string>> {
  const own = isPerson ? ((await client.getMe({ relations: ['organizations'] })).organizations ?? []) : [];
  const customers = grants.flatMap(({ organization }) => organization ?? []);
  return new Map([...own, ...customers].map(({ slug, id }) => [slug, id]));
}

/** An organization that the caller cannot see is named by its id. */
function customerOf({ organization, email = '' }: GrantEntry, slugs: ReadonlyMap<string, string>): Customer {
  if (organization === undefined) return { email };
  const organizationId = isId(organization) ? organization : slugs.get(organization);
  if (organizationId !== undefined) return { organizationId };
  throw new Failure(`No organization that you can see has the short name ${organization}: give its id.`);
}

type KeptValues = { readonly field: string; readonly values: readonly string[] };
type Difference = { readonly changes: readonly Change[]; readonly kept: readonly KeptValues[] };
type RoleNames = { nameOf(id: string): string | undefined; isGrantable(name: string): boolean };

function rolesDifference(before: readonly string[] | null, after: readonly string[] | null, isPruning: boolean, roles: RoleNames) {
  if (isPruning || isDeepStrictEqual(before, after)) return { values: [], after };
  if (before === null) return { values: ['all that are grantable'], after: before };
  if (after !== null) return { values: leftOut('roles', before, after), after: merged(before, after) as readonly string[] };
  // All that are grantable are not all that the grant has.
  const values = before.filter((name) => !roles.isGrantable(name));
  return { values, after: values.length > 0 ? before : after };
}

function differenceOf(entry: GrantEntry, grant: StandingGrant, isPruning: boolean, roles: RoleNames): Difference {
  const changes: Change[] = [];
  const kept: KeptValues[] = [];
  const note = (field: string, values: readonly string[]) => values.length > 0 && kept.push({ field, values });
  if (entry.roles !== undefined) {
    // A role that was deleted has no name, and gives nothing.
    const before = grant.roleIds?.flatMap((id) => roles.nameOf(id) ?? []).toSorted() ?? null;
    const { values, after } = rolesDifference(before, entry.roles?.toSorted() ?? null, isPruning, roles);
    note('roles', values);
    if (!isDeepStrictEqual(before, after?.toSorted() ?? null)) changes.push({ field: 'roles', before, after });
  }
  for (const field of ['allowCustomRoles', 'maxMembers'] as const)
    if (entry[field] !== undefined && entry[field] !== grant[field]) changes.push({ field, before: grant[field], after: entry[field] });
  if (entry.metadata !== undefined) {
    const values = isPruning ? [] : leftOut('metadata', grant.metadata, entry.metadata);
    note('metadata', values);
    const after = values.length > 0 ? merged(grant.metadata, entry.metadata) : entry.metadata;
    if (!isDeepStrictEqual(comparable(grant.metadata), comparable(after)))
      changes.push({ field: 'metadata', before: grant.metadata, after });
  }
  return { changes, kept };
}

type Given = {
  readonly client: TesseraClient;
  readonly manifest: Manifest;
  readonly state: State;
  readonly grants: readonly StandingGrant[];
  readonly isPruning: boolean;
  readonly isPerson: boolean;
};

const kind = { name: 'grants' } as const;

/** Each entry with the grant that it means: an open one, else the newest of those that are over. */
function matched(entries: readonly GrantEntry[], grants: readonly StandingGrant[]) {
  const named = new Map<StandingGrant, string>();
  return entries.map((entry) => {
    const name = nameOf(entry);
    const own = grants.filter((grant) => means(entry, grant));
    const standing = own.find(isOpen);
    if (standing === undefined) return { entry, name, standing, latest: own[0] };
    const other = named.get(standing);
    if (other !== undefined) throw new Failure(`${other} and ${name} are the same grant: name it once.`);
    named.set(standing, name);
    return { entry, name, standing, latest: standing };
  });
}

/** Grants that the manifest does not name stay as they are; with `isPruning` they end. */
export async function planGrants({ client, manifest, state, grants, isPruning, isPerson }: Given): Promise<GrantPlan> {
  const [steps, kept, waiting]: [GrantStep[], KeptGrant[], WaitingGrant[]] = [[], [], []];
  const roles = rolesOf(manifest, state);
  const entries = matched(manifest.grants ?? [], grants);
  for (const { entry, name, standing, latest } of entries) {
    for (const role of entry.roles ?? []) roles.assertKnown(name, role);
    if (standing === undefined) {
      // Offered again by hand: an offer that comes back with each run would be a nuisance.
      if (latest?.status === 'declined') waiting.push({ name, status: 'declined' });
      continue;
    }
    const difference = differenceOf(entry, standing, isPruning, roles);
    if (difference.changes.length > 0) steps.push({ grant: 'update', name, standing, changes: difference.changes });
    kept.push(...difference.kept.map((each) => ({ kind, name, ...each })));
    if (standing.status === 'offered') waiting.push({ name, status: 'offered' });
    else if (entry.state !== undefined && entry.state !== standing.status)
      steps.push({ grant: entry.state === 'suspended' ? 'suspend' : 'resume', name, standing });
  }
  const missing = entries.filter(({ latest, standing }) => standing === undefined && latest?.status !== 'declined');
  steps.push(...(await offersOf({ client, grants, isPerson }, missing)));
  const named = new Set(entries.map(({ standing }) => standing));
  for (const standing of grants.filter((grant) => isOpen(grant) && !named.has(grant))) {
    const name = titleOf(standing);
    if (isPruning) steps.push({ grant: 'end', name, standing });
    else kept.push({ kind, name });
  }
  return { steps, kept, waiting };
}

type Named = { readonly entry: GrantEntry; readonly name: string };

async function offersOf(
  { client, grants, isPerson }: Pick<Given, 'client' | 'grants' | 'isPerson'>,
  missing: readonly Named[],
): Promise<readonly GrantStep[]> {
  const isUnknown = missing.some(({ entry: { organization } }) => organization !== undefined && !isId(organization));
  const slugs = isUnknown ? await slugsKnown(client, grants, isPerson) : new Map<string, string>();
  const offered = new Set<string>();
  return missing.map(({ entry, name }) => {
    const to = customerOf(entry, slugs);
    const key = 'email' in to ? to.email.toLowerCase() : to.organizationId;
    if (offered.has(key)) throw new Failure(`The manifest has two grants for ${name}.`);
    offered.add(key);
    return { grant: 'offer', name, entry, to };
  });
}

function titleOf({ organization, email }: StandingGrant): string {
  return organization === null ? (email ?? '') : `${organization.name} (${organization.id})`;
}

function rolesOf(manifest: Manifest, { roles }: State): RoleNames & { assertKnown(grant: string, name: string): void } {
  const names = new Map([...roles].map(([name, { id }]) => [id, name]));
  const own = new Map(manifest.roles?.map((role) => [role.name, role]));
  return {
    nameOf: (id) => names.get(id),
    isGrantable: (name) => (own.get(name)?.isGrantable ?? roles.get(name)?.entry['isGrantable']) !== false,
    assertKnown(grant, name) {
      if (!own.has(name) && roles.get(name)?.isBuiltIn !== false)
        throw new Failure(`The grant of ${grant} refers to ${name}, which is no role of this project.`);
    },
  };
}

type RoleId = (name: string) => string;

function termsOf(terms: Entry, roleId: RoleId): object {
  const { roles, allowCustomRoles, maxMembers, metadata } = terms as Partial<GrantEntry>;
  return {
    ...(roles === undefined ? {} : { roleIds: roles === null ? null : roles.map(roleId) }),
    ...(allowCustomRoles === undefined ? {} : { allowCustomRoles }),
    ...(maxMembers === undefined ? {} : { maxMembers }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export async function takeGrantStep(client: TesseraClient, scope: ProductScope, step: GrantStep, roleId: RoleId): Promise<Entry> {
  if (step.grant === 'offer') return client.createProjectGrant({ scope, ...step.to, ...termsOf(step.entry, roleId) });
  const { id, updatedAt } = step.standing;
  if (step.grant === 'update') {
    const changed = Object.fromEntries(step.changes.map(({ field, after }) => [field, after]));
    return client.updateProjectGrant({ scope, id, ...termsOf(changed, roleId) }, { ifMatch: { updatedAt } });
  }
  if (step.grant === 'suspend') return client.suspendProjectGrant({ scope, id });
  if (step.grant === 'resume') return client.resumeProjectGrant({ scope, id });
  return client.endProjectGrant({ scope, id });
}

const actions = { offer: 'create', update: 'update', suspend: 'suspend', resume: 'resume', end: 'end' } as const;

export function presentGrant(step: GrantStep): object {
  const ending = step.grant === 'end' ? { people: step.standing.memberCount } : {};
  const changes = step.grant === 'update' ? { changes: step.changes } : {};
  return { action: actions[step.grant], kind: 'grants', name: step.name, ...ending, ...changes };
}

function endOf({ status, memberCount }: StandingGrant): string {
  if (status === 'offered') return ': the offer is withdrawn';
  const people = memberCount === 1 ? '1 person loses its rights here' : `${memberCount} people lose their rights here`;
  return ` ends: ${people}, and the customer’s API keys and webhooks of this project are deleted`;
}

export function describeGrant(step: GrantStep): string {
  const { green, yellow, red } = colorsFor(process.stderr);
  const name = `grant ${oneLine(step.name)}`;
  if (step.grant === 'offer') return `${green('+')} ${name}: is offered, and used once an Owner there accepts`;
  if (step.grant === 'update') return [`${yellow('~')} ${name}`, ...step.changes.map(describeChange)].join('\n');
  if (step.grant === 'end') return `${red('-')} ${name}${endOf(step.standing)}`;
  if (step.grant === 'resume') return `${yellow('~')} ${name} is resumed`;
  return `${yellow('~')} ${name} is suspended: its people can do nothing here until it is resumed`;
}

export function describeWaiting(waiting: readonly WaitingGrant[]): readonly string[] {
  if (waiting.length === 0) return [];
  const told = {
    offered: 'waits for an Owner of the customer',
    declined: 'was declined; `tessera grants create` offers it again',
  };
  return [
    `For ${counted(waiting.length, 'customer')} to answer:`,
    ...waiting.map(({ name, status }) => `    grant ${oneLine(name)} ${told[status]}`),
  ];
}

/** Customers and open offers, as a manifest has them; names of the customers beside. */
export function grantEntries(grants: readonly StandingGrant[], { roles }: State): readonly { entry: GrantEntry; title: string }[] {
  const names = new Map([...roles].map(([name, { id }]) => [id, name]));
  return grants
    .filter(isOpen)
    .toReversed()
    .map((grant) => {
      const { organization, email, roleIds, allowCustomRoles, maxMembers, metadata, status } = grant;
      const entry: GrantEntry = {
        ...(organization === null ? { email: email ?? '' } : { organization: organization.id }),
        ...(roleIds === null ? {} : { roles: roleIds.flatMap((id) => names.get(id) ?? []) }),
        ...(allowCustomRoles ? {} : { allowCustomRoles }),
        ...(maxMembers === null ? {} : { maxMembers }),
        ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
        ...(status === 'active' || status === 'suspended' ? { state: status } : {}),
      };
      return { entry, title: oneLine(organization?.name) };
    });
}
