/**
 * One case table over REST and GraphQL: every operation that has both answers with the same data, or with the same code.
 * Two worlds, alike but for their ids, so that the second transport does not find what the first one made.
 * docs/parity.md is the report; PARITY_WRITE=1 writes it anew.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type GraphQLOutputType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { allOperations, callGraphqlSelecting, callRest, type Declared, outputTypeOf, sampleInput } from '../system/operations.ts';
import { openStack, type SystemStack } from '../system/stack.ts';
import { createPerson, createWorld, PASSWORD, type Person, type World } from '../system/world.ts';

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One side of the comparison: a world, and somebody who may be broken by the case. */
type Side = { readonly world: World; readonly person: Person };

const bound = allOperations.filter(({ rest, graphql }) => 'method' in rest && 'field' in graphql);

/** One transparent pixel. */
const picture = {
  file: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  filename: 'pixel.png',
  contentType: 'image/png',
};

/** What makes a case succeed where the smallest valid input can't. */
const specials: Readonly<Record<string, (side: Side) => Json>> = {
  register: () => ({ provider: 'email', providerId: `${randomUUID()}@example.com`, providerData: { password: PASSWORD } }),
  login: ({ person }) => ({ provider: 'email', providerId: person.email, providerData: { password: PASSWORD } }),
  refreshSession: ({ person }) => ({ refreshToken: person.refreshToken }),
  requestPasswordReset: ({ person }) => ({ email: person.email }),
  resendVerification: ({ person }) => ({ email: person.email }),
  changePassword: () => ({ currentPassword: PASSWORD, newPassword: 'Different-Horse-42', confirmPassword: 'Different-Horse-42' }),
  updateMe: () => ({ name: 'Renamed' }),
  createOrganization: () => ({ name: 'Second' }),
  inviteMember: ({ world }) => ({ email: `${randomUUID()}@example.com`, roleId: world.ids.Role }),
  createApiKey: ({ world }) => ({ name: 'Second', roleId: world.ids.Role }),
  createProjectApp: () => ({ name: 'Second', redirectUris: ['https://second.example.com/'] }),
  createPermission: ({ world }) => ({ name: 'Second', resourceId: world.ids.Resource, action: 'read', scope: world.project }),
  createUser: () => ({ name: 'Second', roleIds: [] }),
  uploadMyPicture: () => picture,
  uploadUserPicture: () => picture,
  isAuthorized: () => ({ permission: { resource: 'Role', action: 'Query' } }),
  createMyAuthenticationMethod: () => ({
    provider: 'email',
    providerId: `${randomUUID()}@example.com`,
    providerData: { password: PASSWORD },
  }),
};

const scopeIn = ({ scopes }: Declared, { organization, project, owner }: World) => {
  if (scopes === 'none') return {};
  return { scope: scopes.includes('organization') ? organization : scopes.includes('organizationProject') ? project : owner.account };
};

const sorted = ({ input }: Declared): Json =>
  JSON.stringify(input).includes('"enum":["name"') ? { sortField: 'name', sortOrder: 'asc' } : {};

const inputFor = (operation: Declared, side: Side): Json => {
  const { access, name } = operation;
  const [resource = ''] = (access.permission ?? '').split(':');
  const id = side.world.ids[resource];
  const scope = operation.name === 'createOrganization' ? { scope: side.world.owner.account } : scopeIn(operation, side.world);
  const permissionScope = resource === 'Resource' ? { scope: side.world.project } : {};
  return sampleInput(operation, {
    ...scope,
    ...permissionScope,
    ...(id ? { id, userId: id } : {}),
    name: 'Second',
    ...sorted(operation),
    ...specials[name]?.(side),
  });
};

/** Ids, times and tokens differ between the sides: only what they are is compared. */
const kindOf = (value: unknown, key = ''): unknown => {
  // A slug is unique among all tenants, so the two worlds can't have the same one.
  if (key === 'slug') return 'a slug';
  if (typeof value !== 'string')
    return Array.isArray(value)
      ? value.map((item) => kindOf(item))
      : isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, kindOf(item, name)]))
        : value;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}/.test(value)) return 'an id';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'a time';
  if (value.length > 30 || value.includes('@')) return 'a text of its own';
  return value;
};

/** The selection of everything a type shows of itself: its leaves, and those of what it is made of, two levels deep. */
const selectionOf = (type: GraphQLOutputType, levels = 2): string => {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => args.length === 0);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const nested =
    levels === 0
      ? []
      : fields
          .filter((field) => isObjectType(getNamedType(field.type)))
          .map((field) => ({ name: field.name, chosen: selectionOf(field.type, isPage(named.name) ? 1 : 0) }));
  const isPlain = named.getFields().id === undefined;
  return [
    ...leaves,
    ...(isPlain ? nested.filter(({ chosen }) => chosen !== '').map(({ name, chosen }) => `${name} { ${chosen} }`) : []),
  ].join(' ');
};

const isPage = (name: string): boolean => name.endsWith('Page');

/** Keeps what both sides have, all the way down; says what only one has. */
const compare = (rest: unknown, graphql: unknown, path: string, faults: string[]): void => {
  if (isRecord(rest) && isRecord(graphql)) {
    const shared = Object.keys(graphql).filter((key) => key in rest);
    if (shared.length === 0 && Object.keys(graphql).length > 0) faults.push(`${path}: nothing in common`);
    for (const key of shared) compare(rest[key], graphql[key], `${path}.${key}`, faults);
    return;
  }
  if (Array.isArray(rest) && Array.isArray(graphql)) {
    if (rest.length > 0 && graphql.length > 0) compare(rest[0], graphql[0], `${path}[0]`, faults);
    if (rest.length > 0 !== graphql.length > 0) faults.push(`${path}: ${rest.length} and ${graphql.length} items`);
    return;
  }
  if (JSON.stringify(rest ?? null) !== JSON.stringify(graphql ?? null))
    faults.push(`${path}: ${JSON.stringify(rest)} and ${JSON.stringify(graphql)}`);
};

type Outcome = { readonly code: string } | { readonly data: unknown };

let stack: SystemStack;
let rest: Side;
let graph: Side;
const report = new Map<string, string>();

const newSide = async (): Promise<Side> => ({ world: await createWorld(stack), person: await createPerson(stack) });

before(async () => {
  stack = await openStack();
  [rest, graph] = await Promise.all([newSide(), newSide()]);
});
after(() => stack.close());

const callerOf = (operation: Declared, { world, person }: Side): Person =>
  'permission' in operation.access || operation.scopes !== 'none' ? world.owner : person;

const overRest = async (operation: Declared, side: Side): Promise<Outcome> => {
  const caller = callerOf(operation, side);
  const { body } = await callRest(caller.client, operation, inputFor(operation, side), caller.token);
  return body?.code === undefined ? { data: body?.data ?? body } : { code: body.code };
};

const overGraphql = async (operation: Declared, side: Side): Promise<Outcome> => {
  const caller = callerOf(operation, side);
  const { body } = await callGraphqlSelecting(
    caller.client,
    operation,
    inputFor(operation, side),
    selectionOf(outputTypeOf(operation)),
    caller.token,
  );
  const [error] = body.errors ?? [];
  if (error !== undefined) return { code: error.extensions.code };
  const [data] = Object.values(body.data);
  const items = 'items' in operation.graphql ? operation.graphql.items : undefined;
  return { data: items !== undefined && isRecord(data) ? { ...data, items: data[items] } : data };
};

/** Changes to somebody's own account get somebody new: many of them end the session. */
const isOnesOwn = ({ access, kind }: Declared): boolean => 'signedIn' in access && kind === 'mutation';

/** What ends a session, a person or the organization comes last; what was made is changed before it is deleted. */
const order = ({ name }: Declared): number =>
  /^(logout|revokeMy|deleteMy|resetPassword)/.test(name)
    ? 4
    : name === 'deleteOrganization'
      ? 5
      : /^(delete|remove|revoke)/.test(name)
        ? 3
        : /^(update|change|renew|rotate)/.test(name)
          ? 2
          : 1;

describe('REST and GraphQL are one product [spec:service.10 spec:graphql.1]', () => {
  for (const operation of [...bound].sort((a, b) => order(a) - order(b))) {
    it(operation.name, async () => {
      if (isOnesOwn(operation)) {
        const [one, other] = await Promise.all([createPerson(stack), createPerson(stack)]);
        rest = { ...rest, person: one };
        graph = { ...graph, person: other };
      }
      const [first, second] = [await overRest(operation, rest), await overGraphql(operation, graph)];
      if ('code' in first || 'code' in second) {
        assert.deepEqual(first, second);
        report.set(operation.name, 'code' in first ? `code ${first.code}` : '');
        return;
      }
      const faults: string[] = [];
      compare(kindOf(first.data), kindOf(second.data), operation.name, faults);
      assert.deepEqual(faults, []);
      report.set(operation.name, 'data');
    });
  }
  it('most cases succeed, and the report in docs/ says what was compared', () => {
    const succeeded = [...report.values()].filter((outcome) => outcome === 'data').length;
    assert.ok(
      succeeded >= 0.8 * bound.length,
      `${succeeded} of ${bound.length}: ${JSON.stringify([...report].filter(([, outcome]) => outcome !== 'data'))}`,
    );
    const rows = bound.map(
      ({ name, rest: route, graphql }) =>
        `| \`${name}\` | ${'method' in route ? `\`${route.method} ${route.path}\`` : ''} | ${'field' in graphql ? `\`${graphql.field}\`` : ''} | ${report.get(name) ?? 'NOT COMPARED'} |`,
    );
    const content = `# Parity\n\nWritten by \`test/parity\` (PARITY_WRITE=1): every operation with both bindings, called over both with the same input in two worlds that are alike.\nEqual data (but for ids, times and tokens), or the equal code. Refusals of every kind are compared in \`test/refusals\`.\n\n| operation | REST | GraphQL | compared |\n|---|---|---|---|\n${rows.join('\n')}\n`;
    const file = new URL('../../docs/parity.md', import.meta.url);
    if (process.env.PARITY_WRITE === '1') writeFileSync(file, content);
    else assert.equal(readFileSync(file, 'utf8'), content, 'run with PARITY_WRITE=1');
  });
});
