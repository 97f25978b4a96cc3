/** What an adoption would do: read from both sides, without a change. */
import type { TesseraClient } from '@tessera/client';
import { Failure } from '../failure.ts';
import type { StandingGrant } from '../manifest/grants.ts';
import { oneLine } from '../output.ts';
import { all } from '../pages.ts';
import type { Terms } from './record.ts';
import { createCommand, findGrant, orRefused, type Role, readPeople, type Sides, type Standing } from './sides.ts';

export type Gift = { readonly userId: string; readonly name: string; readonly roles: readonly Role[] };
export type AdoptPlan = {
  readonly grant: StandingGrant | undefined;
  /** The terms of the grant that is to be offered. */
  readonly offer?: Terms;
  /** The open offer that is to be accepted is there, or is made first. */
  readonly isAcceptance: boolean;
  readonly gifts: readonly Gift[];
  /** What stays behind, as lines for people. */
  readonly leftOut: readonly string[];
  /** Those with roles who get none, because they are no members of the customer's organization. */
  readonly strangers: readonly string[];
};

/** Names of the old project's roles, and of the product's in their place; null: given to no one. */
export type RoleMap = ReadonlyMap<string, string | null>;

type Target = Role & { readonly isGrantable: boolean };

/** The roles that the customer may give in the product, its own ones there too. */
async function targetsOf(client: TesseraClient, sides: Sides, grant: StandingGrant | undefined): Promise<readonly Target[]> {
  if (grant === undefined) {
    const roles = await all(client.listRoles({ scope: sides.product, limit: 100 }));
    return roles.filter(({ isBuiltIn }) => !isBuiltIn);
  }
  const granted = grant.roles.map((role) => ({ ...role, isGrantable: true }));
  const there = grant.status === 'active' ? await orRefused(all(client.listRoles({ scope: sides.place, limit: 100 })), []) : [];
  return [...granted, ...there.filter(({ isBuiltIn, isShared }) => !isBuiltIn && !isShared)];
}

/** Each role of the old project with the one in its place. Throws where people would lose one. */
function mapRoles(people: readonly Standing[], targets: readonly Target[], map: RoleMap): ReadonlyMap<string, Target | null> {
  const held = new Map(people.flatMap(({ roles }) => roles.map((role) => [role.id, role.name] as const)));
  const faults: string[] = [];
  const found = new Map<string, Target | null>();
  for (const [id, name] of held) {
    const wanted = map.has(name) ? map.get(name) : name;
    const fitting = targets.filter((target) => target.name === wanted || target.id === wanted);
    if (wanted === null) found.set(id, null);
    else if (fitting.length === 1) found.set(id, fitting[0] ?? null);
    else {
      const count = people.filter(({ roles }) => roles.some((role) => role.id === id)).length;
      const why =
        fitting.length === 0 ? `no role there is named ${oneLine(wanted)}` : `${fitting.length} roles there are named ${oneLine(wanted)}`;
      faults.push(`  ${oneLine(name)}, held by ${count}: ${why}`);
    }
  }
  if (faults.length === 0) return found;
  throw new Failure(
    [
      'These roles have no counterpart among those that the customer may give in the product:',
      ...faults,
      'Say which with --role "<old>=<new>" (a name or an id), or with --role "<old>=" that nobody gets one for it.',
      'Or make the role first: in the product, and in the grant where that names its roles.',
    ].join('\n'),
  );
}

function offerOf(targets: readonly Target[], mapped: readonly (Target | null)[]): Terms {
  const special = mapped.flatMap((target) => (target === null || target.isGrantable ? [] : target.id));
  if (special.length === 0) return {};
  return { roleIds: [...targets.filter(({ isGrantable }) => isGrantable).map(({ id }) => id), ...new Set(special)] };
}

function giftsOf(people: readonly Standing[], mapped: ReadonlyMap<string, Target | null>, there: readonly Standing[]): Gift[] {
  const present = new Map(there.map(({ id, roles }) => [id, new Set(roles.map((role) => role.id))]));
  return people.flatMap(({ id, name, roles, isMember }) => {
    if (!isMember) return [];
    const wanted = new Map(roles.flatMap((role) => mapped.get(role.id) ?? []).map((target) => [target.id, target]));
    const missing = [...wanted.values()].filter((target) => present.get(id)?.has(target.id) !== true);
    return missing.length === 0 ? [] : [{ userId: id, name, roles: missing.map((target) => ({ id: target.id, name: target.name })) }];
  });
}

const namedMost = 5;
function listed(names: readonly string[]): string {
  const more = names.length > namedMost ? `, and ${names.length - namedMost} more` : '';
  return names.slice(0, namedMost).map(oneLine).join(', ') + more;
}

/** What no adoption carries over; a list that the caller may not read is not mentioned. */
async function leftOutOf(
  client: TesseraClient,
  { source }: Sides,
  people: readonly Standing[],
  mapped: ReadonlyMap<string, Target | null>,
) {
  const [roles, keys, apps, hooks] = await Promise.all([
    all(client.listRoles({ scope: source, limit: 100 })),
    orRefused(all(client.listApiKeys({ scope: source, limit: 100 })), []),
    orRefused(all(client.listProjectApps({ scope: source, limit: 100 })), []),
    orRefused(all(client.listWebhooks({ scope: source, limit: 100 })), []),
  ]);
  const unused = roles.filter(({ id, isBuiltIn }) => !isBuiltIn && !mapped.has(id)).map(({ name }) => name);
  const dropped = roles.filter(({ id }) => mapped.get(id) === null).map(({ name }) => name);
  const live = keys.filter(({ isRevoked }) => !isRevoked).map(({ name }) => name);
  const facts = people.filter(({ hasFacts }) => hasFacts).map(({ name }) => name);
  const strangers = people.filter(({ isMember, roles: held }) => !isMember && held.length > 0).map(({ name }) => name);
  const lines = [
    [unused, 'roles that nobody holds'],
    [dropped, 'roles that --role leaves out'],
    [strangers, 'people who are no members of the organization: invite them, and run this again'],
    [facts, 'people of whom something is recorded (memberMetadata): a grant keeps none'],
    [live, 'API keys: make them anew in the product, for this customer'],
    [apps.map(({ name }) => name), 'apps: the product’s own sign people in'],
    [hooks.map(({ url }) => url), 'webhooks: make them anew in the product, for this customer'],
  ] as const;
  return { strangers, lines: lines.filter(([names]) => names.length > 0).map(([names, what]) => `${what}: ${listed(names)}`) };
}

async function readSource(client: TesseraClient, sides: Sides): Promise<Standing[]> {
  const people = await orRefused(readPeople(client, sides.source), undefined);
  if (people !== undefined) return people;
  throw new Failure(
    `You may not see the people of ${sides.source.id}. An Owner or Admin of the customer runs this. As the owner of the product you offer it: \`${createCommand(sides)}\`.`,
  );
}

export async function planAdoption(client: TesseraClient, sides: Sides, map: RoleMap): Promise<AdoptPlan> {
  const people = await readSource(client, sides);
  const { grant, isOwnerSeen } = await findGrant(client, sides);
  if (grant === undefined && !isOwnerSeen)
    throw new Failure(
      `The product is not offered to this organization yet. Its owner does that: \`${createCommand(sides)}\`. Then run this again.`,
    );
  if (grant?.status === 'suspended') throw new Failure('The grant is suspended. When its owner has resumed it, run this again.');
  const targets = await targetsOf(client, sides, grant);
  const mapped = mapRoles(people, targets, map);
  const there = grant?.status === 'active' ? await readPeople(client, sides.place) : [];
  const gifts = giftsOf(people, mapped, there);
  assertRoom(grant, gifts, there);
  const { strangers, lines } = await leftOutOf(client, sides, people, mapped);
  return {
    grant,
    ...(grant === undefined ? { offer: offerOf(targets, [...mapped.values()]) } : {}),
    isAcceptance: grant?.status !== 'active',
    gifts,
    leftOut: lines,
    strangers,
  };
}

function assertRoom(grant: StandingGrant | undefined, gifts: readonly Gift[], there: readonly Standing[]): void {
  const most = grant?.maxMembers ?? Number.POSITIVE_INFINITY;
  const holders = new Set(there.filter(({ roles }) => roles.length > 0).map(({ id }) => id));
  const people = gifts.filter(({ userId }) => !holders.has(userId)).length + holders.size;
  if (people > most)
    throw new Failure(`${people} people would hold a role, and the grant allows ${most}. Its owner raises \`maxMembers\`.`);
}
