import { normalizeAddress } from '@tessera/kernel/addresses';
import { Id, type OperationContext, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { longestPage } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { heldAddressesOf } from '../../../people/domain/proven-address.ts';
import { mayAlso, wireScope } from '../../../people/operations/scoped-people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { findPeople } from '../../../people/storage/people.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { listLinked } from '../../storage/connections.ts';
import { connectionScopes, organizationOf, requireConnection, targetOf } from './connection.ts';
import { ableToBreakGlass, obstacles, obstaclesOf } from './enforce.ts';

type Context = OperationContext<SignInDeps>;

const Person = Type.Object({
  userId: Id,
  name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Enum(['must-connect', 'no-address'], {
    description:
      'must-connect: signs in in their own way once more, and connects the account. no-address: no address of theirs is in a proven domain, so nothing lets them in',
  }),
});

/** More than these are counted as if none of their addresses were in a proven domain. */
const mostDomains = 50;
const mostShown = 200;
const mostPages = 50;

export const getConnectionEnforcement = operation({
  name: 'getConnectionEnforcement',
  summary: 'Which members could not sign in any more if this connection were enforced, and what has to be done before it can be',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({
    isEnforced: Type.Boolean(),
    obstacles: Type.Array(Type.Enum([...obstacles]), { description: 'Why it cannot be switched on' }),
    members: Type.Integer(),
    linked: Type.Integer({ description: 'Members who have come by it' }),
    breakGlass: Type.Integer({ description: 'Named Owners who have a second factor now' }),
    shutOutCount: Type.Integer(),
    shutOut: Type.Array(Person, { description: 'The first of them; none without OrganizationMember:Query' }),
    isComplete: Type.Boolean({ description: 'False when the organization has more members than were looked at' }),
  }),
  access: { permission: 'Connection:Query', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'shows members to those who may list them' },
  events: [],
  rest: { method: 'GET', path: '/api/connections/:id/enforcement' },
  graphql: { field: 'connectionEnforcement', type: 'ConnectionEnforcement' },

  async prepare({ id }, context) {
    const { database } = context.deps;
    const connection = await requireConnection(id, context);
    const { isEnforced, breakGlassUserIds } = connection;
    const [missing, able, { userIds, isComplete }] = await Promise.all([
      obstaclesOf(connection, breakGlassUserIds, context),
      ableToBreakGlass(breakGlassUserIds, context),
      listMembers(context),
    ]);
    const linked = await listLinked(database, id, userIds);
    const outside = userIds.filter((userId) => !linked.has(userId) && !able.includes(userId));
    const mayList = await mayAlso({ resource: 'OrganizationMember', action: 'Query' }, context);
    const shutOut = mayList ? await describe(outside.slice(0, mostShown), context) : [];
    return {
      isEnforced,
      obstacles: missing,
      members: userIds.length,
      linked: linked.size,
      breakGlass: able.length,
      shutOutCount: outside.length,
      shutOut,
      isComplete,
    };
  },

  handle: async (_input, _context, answer) => answer,
});

async function listMembers(context: Context) {
  const scope = wireScope(scopeOf(context));
  const inOrder = { search: '', sortField: 'createdAt', sortOrder: 'asc', ids: [], filterIds: false, limit: longestPage };
  const userIds = new Set<string>();
  for (let page = 1; page <= mostPages; page += 1) {
    const found = await context.deps.tenancy.listPeople({ ...inOrder, scope, page });
    for (const userId of found.userIds) userIds.add(userId);
    if (found.userIds.length < longestPage) return { userIds: [...userIds], isComplete: true };
  }
  return { userIds: [...userIds], isComplete: false };
}

async function describe(userIds: readonly string[], context: Context) {
  const { database } = context.deps;
  const [people, methods] = await Promise.all([findPeople(database, userIds), listMethods(database, userIds)]);
  const held = new Map(people.map(({ id }) => [id, heldAddressesOf(methods.filter(({ userId }) => userId === id))]));
  const proven = await provenAmong([...held.values()].flat(), context);
  const nameOf = new Map(people.map(({ id, name }) => [id, name]));
  return userIds.flatMap((userId) => {
    const name = nameOf.get(userId);
    if (name === undefined) return [];
    const addresses = held.get(userId) ?? [];
    const isProven = addresses.some((address) => proven.has(domainOf(address)));
    const reason = isProven ? ('must-connect' as const) : ('no-address' as const);
    return [{ userId, name, email: addresses[0] ?? null, reason }];
  });
}

function domainOf(address: string): string {
  return normalizeAddress(address).split('@')[1] ?? '';
}

/** Which of their domains the organization has proven. */
async function provenAmong(addresses: readonly string[], context: Context): Promise<Set<string>> {
  const byDomain = new Map(addresses.map((address) => [domainOf(address), address]));
  const asked = [...byDomain].slice(0, mostDomains);
  const owners = await Promise.all(asked.map(([, address]) => context.deps.tenancy.findDomainOwner({ address })));
  return new Set(asked.flatMap(([domain], index) => (owners[index]?.organizationId === organizationOf(context) ? [domain] : [])));
}
