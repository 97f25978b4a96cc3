import { failures } from '@tessera/kernel/errors';
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { Id, Nullable, type OperationContext, scopeField, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import type { KeptClaim, RoleMapping } from '../../../ground/domain/connection.ts';
import { mayAlso, wireScope } from '../../../people/operations/scoped-people.ts';
import { findPeople } from '../../../people/storage/people.ts';
import type { Claims } from '../../connections/provider.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { type KeptSignIn, listSignIns, mostSignIns } from '../../storage/connection-sign-ins.ts';
import type { Connection } from '../../storage/connections.ts';
import { standingDefault } from '../../upstream/default-role.ts';
import { mappedBy } from '../../upstream/map-roles.ts';
import { connectionScopes, RoleMappings, requireConnection, targetOf } from './connection.ts';
import { Came, toCame } from './connection-test.ts';
import { placesOf, prepareMapping } from './role-mapping.ts';

type Context = OperationContext<SignInDeps>;

const GivenRole = Type.Object({ roleId: Id, grantId: Nullable(Id) });
const Person = Type.Object({
  userId: Id,
  name: Type.String(),
  email: Nullable(Type.String({ description: 'As the provider said it' })),
  signedInAt: Timestamp,
  gains: Type.Array(GivenRole),
  losses: Type.Array(GivenRole),
  isCertain: Type.Boolean({ description: 'False when values of a claim of the mapping were too many to be kept' }),
  claims: Type.Array(Came, { description: 'What was kept of the claims that the mapping names' }),
});
type Person = Static<typeof Person>;

export const previewRoleMapping = operation({
  name: 'previewRoleMapping',
  summary:
    'Shows who of the last sign-ins by an identity provider would gain and lose which roles at the next one, if this were the mapping; it changes nothing',
  kind: 'query',
  input: strict({ ...scopeField, id: Id, roleMapping: RoleMappings }),
  output: Type.Object({
    signInCount: Type.Integer({ description: 'Of members, of the last thirty days; fifty at most' }),
    gainCount: Type.Integer({ description: 'People who would get a role that they do not have' }),
    lossCount: Type.Integer({ description: 'People who would lose a role' }),
    unknownClaims: Type.Array(Type.String(), { description: 'Claims of the mapping of which no sign-in that is kept says anything' }),
    people: Type.Array(Person, { description: 'Without OrganizationMember:Query none', maxItems: mostSignIns }),
  }),
  // What a person's provider says of them is for those who set it up.
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'nothing changes' },
  events: [],
  rest: { method: 'POST', path: '/api/connections/:id/role-mapping/preview' },
  graphql: { field: 'previewRoleMapping', type: 'RoleMappingPreview' },
  example: { input: { roleMapping: [] } },

  async prepare({ id, roleMapping }, context) {
    const { deps, now } = context;
    const known = await requireConnection(id, context);
    // Refused as saving it would be: callers see no effect of what they may not decide.
    const mapping = await prepareMapping(roleMapping, known, context);
    const signIns = await membersAmong(await listSignIns(deps.database, id, now), context);
    const [changes, mayList] = await Promise.all([
      changesBy({ ...known, roleMapping: mapping }, signIns, context),
      mayAlso({ resource: 'OrganizationMember', action: 'Query' }, context),
    ]);
    const people = await describe(signIns, { mapping, changes }, context);
    const named = new Set(mapping.map(({ claim }) => claim));
    return {
      signInCount: people.length,
      gainCount: people.filter(({ gains }) => gains.length > 0).length,
      lossCount: people.filter(({ losses }) => losses.length > 0).length,
      unknownClaims: [...named].filter((claim) => !signIns.some(({ claims }) => claims.some(({ name }) => name === claim))),
      people: mayList ? people : [],
    };
  },

  handle: async (_input, _context, preview) => preview,
});

async function membersAmong(signIns: readonly KeptSignIn[], context: Context): Promise<KeptSignIn[]> {
  const userIds = signIns.map(({ userId }) => userId);
  const members = await context.deps.tenancy.filterPeople({ scope: wireScope(scopeOf(context)), userIds });
  return signIns.filter(({ userId }) => members.userIds.includes(userId));
}

type Change = Pick<Person, 'gains' | 'losses'>;
type Place = { readonly grantId: string | null; readonly scope: Scope; readonly otherwise: readonly string[] };

/** By the rules of a sign-in: without a mapping it changes no role. */
async function changesBy(connection: Connection, signIns: readonly KeptSignIn[], context: Context): Promise<ReadonlyMap<string, Change>> {
  const { roleMapping } = connection;
  const changes = new Map<string, Change>(signIns.map(({ userId }) => [userId, { gains: [], losses: [] }]));
  if (roleMapping.length === 0 || signIns.length === 0) return changes;
  const { deps } = context;
  const grants = [...(await placesOf(roleMapping, context))].filter(([grantId]) => roleMapping.some((one) => one.grantId === grantId));
  const places: Place[] = [
    { grantId: null, scope: scopeOf(context), otherwise: [await standingDefault(connection, deps)] },
    ...grants.map(([grantId, scope]) => ({ grantId, scope, otherwise: [] })),
  ];
  for (const { grantId, scope, otherwise } of places) {
    const people = signIns.map(({ userId, claims }) => {
      const mapped = mappedBy(roleMapping, claimsOf(claims)).flatMap((one) => (one.grantId === grantId ? [one.roleId] : []));
      return { userId, roleIds: mapped.length > 0 ? [...new Set(mapped)] : [...otherwise] };
    });
    const preview = await ignoreUnknownMethod(deps.roles.previewRoles({ scope: wireScope(scope), people }));
    // rbac of the version before.
    if (preview === undefined) throw failures.unavailable('rbac');
    for (const { userId, gained, lost } of preview.people) {
      const change = changes.get(userId);
      change?.gains.push(...gained.map((roleId) => ({ roleId, grantId })));
      change?.losses.push(...lost.map((roleId) => ({ roleId, grantId })));
    }
  }
  return changes;
}

function claimsOf(kept: readonly KeptClaim[]): Claims {
  return Object.fromEntries(kept.map(({ name, values }) => [name, values]));
}

type Compared = { readonly mapping: readonly RoleMapping[]; readonly changes: ReadonlyMap<string, Change> };

/** Those whom it changes first. */
async function describe(signIns: readonly KeptSignIn[], { mapping, changes }: Compared, { deps }: Context): Promise<Person[]> {
  const found = await findPeople(
    deps.database,
    signIns.map(({ userId }) => userId),
  );
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const people = signIns.flatMap(({ userId, email, signedInAt, claims }) => {
    const [name, change] = [names.get(userId), changes.get(userId)];
    if (name === undefined || change === undefined) return [];
    const shown = claims.filter((claim) => mapping.some((line) => line.claim === claim.name));
    const isCertain = mapping.every(({ claim, value }) => {
      const said = shown.find((one) => one.name === claim);
      return said === undefined || !said.isCut || said.values.includes(value);
    });
    return [{ userId, name, email, signedInAt, ...change, isCertain, claims: shown.map(toCame) }];
  });
  const isChanged = ({ gains, losses }: Change) => gains.length + losses.length > 0;
  return people.toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)));
}
