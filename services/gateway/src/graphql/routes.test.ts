import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import { startGateway } from '../testing/gateway.ts';
import { type RunningSubgraph, standIns, startSubgraph } from '../testing/subgraphs.ts';

type Answer = {
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[];
};
type Stack = {
  base: string;
  subgraphs: Record<string, RunningSubgraph>;
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<Answer & { status: number; headers: Headers }>;
};

async function startStack(cleanup: AsyncDisposableStack, overrides: Readonly<Record<string, string>> = {}): Promise<Stack> {
  const subgraphs = Object.fromEntries(
    await Promise.all(standIns.map(async (standIn) => [standIn.name, await startSubgraph(cleanup, standIn)] as const)),
  );
  const urls = Object.fromEntries(Object.entries(subgraphs).map(([name, { url }]) => [`${name.toUpperCase()}_HTTP_URL`, url]));
  const base = await startGateway(cleanup, { ...urls, ...overrides });
  const ask: Stack['ask'] = async (query, variables, headers = {}) => {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { ...((await response.json()) as Answer), status: response.status, headers: response.headers };
  };
  return { base, subgraphs, ask };
}

test('the operation named by operationName is executed, planned or passed through', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base } = await startStack(cleanup);
  const query =
    'query A { me { ...U } } query B { me { name roles { id } } } mutation C { refreshSession { accessToken } } fragment U on User { id }';
  const named = async (operationName?: string) => {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName }),
    });
    return [response.status, ((await response.json()) as Answer).data];
  };
  expect(await named('A')).toStrictEqual([200, { me: { id: '1' } }]);
  expect(await named('B')).toStrictEqual([200, { me: { name: 'User 1', roles: [{ id: 'organization-1' }] } }]);
  expect(await named('C')).toStrictEqual([200, { refreshSession: { accessToken: 'fresh' } }]);
  expect(await named('D')).toStrictEqual([400, null]);
  expect(await named()).toStrictEqual([400, null]);
});

test('a large GraphQL response is compressed, but not one with tokens', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startStack(cleanup);
  const many = (field: string) =>
    `{ users(input: { ids: [${Array.from({ length: 100 }, (_, index) => `"${index}"`).join(',')}] }) { users { id name ${field} } } }`;
  const headers = { 'accept-encoding': 'br' };
  for (const field of ['', 'roles { id }']) expect((await ask(many(field), {}, headers)).headers.get('content-encoding')).toBe('br');
  const login = `mutation { login(input: { provider: "email", providerId: "${'x'.repeat(5_000)}" }) { accessToken } }`;
  expect((await ask(login, {}, headers)).headers.get('content-encoding')).toBeNull();
});

function codes({ errors = [] }: Answer) {
  return errors.map(({ extensions }) => extensions['code']);
}

test('a query over three services sends one request for each level', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, subgraphs } = await startStack(cleanup);
  const { status, data, errors } = await ask('{ users { users { id name organizations { name roles { name } } roles { name } } } }');
  expect(errors).toBeUndefined();
  expect(status).toBe(200);
  expect(data).toStrictEqual({
    users: {
      users: ['1', '2'].map((id) => ({
        id,
        name: `User ${id}`,
        organizations: [{ name: 'Organization a', roles: [{ name: 'Role owner-of-a' }] }],
        roles: [{ name: `Role organization-${id}` }],
      })),
    },
  });
  expect(subgraphs['tenancy']?.received.length).toBe(1);
  expect(subgraphs['rbac']?.received.length ?? 0).toBeLessThanOrEqual(2);
});

test('a service gets token, language and cookies of the client and the credential of the gateway, and its cookies come back', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, subgraphs } = await startStack(cleanup);
  const headers = {
    authorization: 'Bearer abc',
    'accept-language': 'de',
    cookie: 'refresh_token=old',
    'x-tessera-client-ip': '6.6.6.6',
    'user-agent': 'mine',
    'content-encoding': 'identity',
    accept: 'text/strange',
  };
  for (const query of [
    'mutation { refreshSession { accessToken } }',
    'mutation { refreshSession { accessToken user { roles { id } } } }',
  ]) {
    const { headers: answered, errors } = await ask(query, {}, headers);
    expect(errors).toBeUndefined();
    expect(answered.getSetCookie()).toStrictEqual(['refresh_token=new; Path=/; HttpOnly', 'other=1']);
    const received = subgraphs['identity']?.received.at(-1)?.headers ?? {};
    expect(received['authorization']).toBe('Bearer abc');
    expect(received['accept-language']).toBe('de');
    expect(received['cookie']).toBe('refresh_token=old');
    expect(received['x-tessera-client-ip']).toBe('127.0.0.1');
    expect(received['user-agent']).toBe('mine');
    expect([received['content-encoding'], received['accept'], received['content-type']]).toStrictEqual([
      undefined,
      undefined,
      'application/json',
    ]);
    expect(String(received['x-tessera-service'])).toMatch(/^gateway\./);
  }
});

test('the consistency token names every service that wrote, and a query has none', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startStack(cleanup);
  const tokenOf = async (query: string) => (await ask(query)).headers.get('x-consistency-token');
  expect(await tokenOf('mutation { refreshSession { accessToken } }')).toBe('of-identity');
  expect(await tokenOf('mutation { createOrganization(name: "A") { id } refreshSession { accessToken } }')).toBe('of-tenancy.of-identity');
  expect(await tokenOf('{ me { id } }')).toBeNull();
});

test('an error of a service keeps its code, message and path, and other fields keep their values', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startStack(cleanup);
  const joined = '{ me { name roles { id } } bad: userOrError { name } }';
  for (const query of ['{ me { name } bad: userOrError { name } }', joined, joined]) {
    const { status, data, errors } = await ask(query);
    expect(status).toBe(200);
    expect(errors).toStrictEqual([{ message: 'User not found.', path: ['bad'], extensions: { code: 'NOT_FOUND', resource: 'User' } }]);
    expect([JSON.stringify(data?.['me']).includes('User 1'), data?.['bad']]).toStrictEqual([true, null]);
  }
});

test('a service that is down fails only its own fields, each with a localized error at its path', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, subgraphs } = await startStack(cleanup);
  await subgraphs['rbac']?.close();
  const askJoined = () => ask('{ users { users { name roles { id } } } r: roles { id } }', {}, { 'accept-language': 'de' });
  const joined = await askJoined();
  const again = await askJoined();
  expect([again.data, again.errors]).toStrictEqual([joined.data, joined.errors]);
  expect(joined.status).toBe(200);
  expect(joined.data).toStrictEqual({
    users: {
      users: [
        { name: 'User 1', roles: null },
        { name: 'User 2', roles: null },
      ],
    },
    r: null,
  });
  expect(new Set(codes(joined))).toStrictEqual(new Set(['SERVICE_UNAVAILABLE']));
  const paths = joined.errors?.map(({ path }) => path?.join('.')).sort();
  expect(paths).toStrictEqual(['r', 'users.users.0.roles', 'users.users.1.roles']);
  expect(joined.errors?.[0]?.message ?? '').toMatch(/rbac ist nicht erreichbar/);
  const alone = await ask('{ a: roles { id } b: roles { name } }');
  expect(alone.status).toBe(200);
  expect(alone.data).toBeNull();
  expect(alone.errors?.map(({ path }) => path)).toStrictEqual([['a'], ['b']]);
});

test('a slow service fails its own fields after the timeout', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, subgraphs } = await startStack(cleanup, { GATEWAY_SUBGRAPH_TIMEOUT_SECONDS: '1' });
  const [, , rbac] = standIns;
  assert.ok(rbac !== undefined);
  subgraphs['rbac']?.become({ ...rbac, resolvers: { ...rbac.resolvers, Query: { roles: () => new Promise(() => {}) } } });
  const { data, errors } = await ask('{ me { name } roles { id } }');
  expect(data).toStrictEqual({ me: { name: 'User 1' }, roles: null });
  expect(errors?.map(({ path, extensions }) => [path, extensions['code']])).toStrictEqual([[['roles'], 'GATEWAY_TIMEOUT']]);
});

test('a cached refusal is never used for another request, however name and document are cut', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base } = await startStack(cleanup);
  const statusOf = async (query: string, operationName?: string) => {
    const body = JSON.stringify({ query, operationName });
    return (await fetch(`${base}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
  };
  expect(await statusOf('query A { me { id } }', '')).toBe(400);
  expect(await statusOf('query A { me { id } }')).toBe(200);
  expect(await statusOf('me { name } }', '\nquery A {')).toBe(400);
  expect(await statusOf('query A {\nme { name } }')).toBe(200);
  expect(await statusOf('me { name id } }', 'A\nquery A {')).toBe(400);
  expect(await statusOf('query A {\nme { name id } }', 'A')).toBe(200);
});

test('a document that does not parse or validate is a 400, bad variables are a 200, both BAD_USER_INPUT with null data', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startStack(cleanup);
  for (const query of [
    '{ me {',
    '{ nothing }',
    'query A { me { id } } query B { me { id } }',
    'fragment X on User { id }',
    'subscription { me }',
    '{ me { roles(unknown: 1) { id } } }',
  ]) {
    const answer = await ask(query);
    expect([query, answer.status]).toStrictEqual([query, 400]);
    expect([query, new Set(codes(answer))]).toStrictEqual([query, new Set(['BAD_USER_INPUT'])]);
    expect(answer.data).toBeNull();
  }
  for (const variables of [
    {},
    { input: 5 },
    { input: { provider: 'email' } },
    { input: { provider: 'email', providerId: 'x', more: 1 } },
  ]) {
    const answer = await ask('mutation ($input: LoginInput!) { login(input: $input) { accessToken } }', variables);
    expect(answer.status).toBe(200);
    expect([new Set(codes(answer)), answer.data]).toStrictEqual([new Set(['BAD_USER_INPUT']), null]);
  }
});

test('GET /graphql answers queries in the same bounds, and no mutations', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base, subgraphs } = await startStack(cleanup);
  const get = async (parameters: Record<string, string>) => {
    const response = await fetch(`${base}/graphql?${new URLSearchParams(parameters)}`);
    const { data, errors } = (await response.json()) as Answer;
    return [response.status, data, errors?.[0]?.extensions['code']];
  };
  const named = 'query A($id: String) { userOrError(id: $id) { name } } query B { me { id } }';
  expect(await get({ query: named, variables: '{"id":"7"}', operationName: 'A', extensions: '{}' })).toStrictEqual([
    200,
    { userOrError: { name: 'User 7' } },
    undefined,
  ]);
  const before = subgraphs['identity']?.received.length;
  expect(await get({ query: 'mutation { refreshSession { accessToken } }' })).toStrictEqual([400, null, 'BAD_USER_INPUT']);
  expect(await get({ query: '{ nothing }' })).toStrictEqual([400, null, 'BAD_USER_INPUT']);
  expect(await get({ query: '{ me { id } }', variables: '{' })).toStrictEqual([400, null, 'BAD_USER_INPUT']);
  expect(await get({ query: `{ ${Array.from({ length: 11 }, (_, index) => `a${index}: me { id }`).join(' ')} }` })).toStrictEqual([
    400,
    null,
    'BAD_USER_INPUT',
  ]);
  expect(subgraphs['identity']?.received.length).toBe(before);
  expect((await fetch(`${base}/graphql`)).status).toBe(404);
});

test('batches, other media types, broken JSON, unknown keys and large bodies get a standard GraphQL error', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base } = await startStack(cleanup);
  const post = async (body: string, type = 'application/json') => {
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers: { 'content-type': type }, body });
    return [response.status, codes((await response.json()) as Answer)[0]];
  };
  expect(await post('[{"query":"{ me { id } }"}]')).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('{"query":')).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('')).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('null')).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('{"query":"{ me { id } }","more":1}')).toStrictEqual([400, 'BAD_USER_INPUT']);
  const nested = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
  expect(await post(`{"query":"{ me { id } }","variables":{"j":${nested}}}`)).toStrictEqual([400, 'BAD_USER_INPUT']);
  // JSON would make another integer of one, and null of the other.
  for (const number of ['9007199254740993', '1e400'])
    expect(await post(`{"query":"{ me { id } }","variables":{"j":{"a":[${number}]}}}`)).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('{"query":"{ me { id } }","variables":[]}')).toStrictEqual([400, 'BAD_USER_INPUT']);
  expect(await post('{ me { id } }', 'application/graphql')).toStrictEqual([415, 'BAD_USER_INPUT']);
  expect(await post('query=x', 'text/plain')).toStrictEqual([415, 'BAD_USER_INPUT']);
  expect(await post(JSON.stringify({ query: '{ me { id } }', variables: { x: 'x'.repeat(1024 * 1024) } }))).toStrictEqual([
    413,
    'BAD_USER_INPUT',
  ]);
  expect(await post(JSON.stringify({ query: 'x'.repeat(7 * 1024 * 1024) }))).toStrictEqual([413, 'BAD_USER_INPUT']);
});

test('documents are bounded: depth 10, 1,000 fields, 10 root fields, 50 aliases, 200,000 characters, fragments expanded', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startStack(cleanup);
  const nested = (levels: number) => `{ me { ${'friend { '.repeat(levels - 2)}id${' }'.repeat(levels - 2)} } }`;
  const roots = (count: number) => `{ ${Array.from({ length: count }, (_, index) => `a${index}: me { id }`).join(' ')} }`;
  const doubling = (levels: number) =>
    `{ me { ...F0 } } ${Array.from({ length: levels }, (_, index) => `fragment F${index} on User { x: friend { ...F${index + 1} } y: friend { ...F${index + 1} } }`).join(' ')} fragment F${levels} on User { id name }`;
  for (const [query, status, message = /./] of [
    [nested(10), 200],
    [nested(11), 400],
    [roots(10), 200],
    [roots(11), 400],
    [doubling(4), 200],
    [doubling(8), 400],
    [`{ me { ${Array.from({ length: 51 }, (_, index) => `a${index}: id`).join(' ')} } }`, 400],
    [`{ me { ...A } } fragment A on User { ...B } fragment B on User { ...A }`, 400],
    [`{ me { id } } fragment Unused on User { ${'id '.repeat(1_000)} }`, 400],
    [`{ me { ${'... on User { id } '.repeat(201)} } }`, 400],
    [`{ me { ${'friend { id } '.repeat(21)} } }`, 400],
    [`query (${Array.from({ length: 101 }, (_, index) => `$v${index}: Int`).join(' ')}) { me { id } }`, 400],
    [`{ me { ${'id '.repeat(12_000)} } }`, 400],
    [`query ($ids: [String!] = ["1", "2"]) { users(input: { ids: $ids }) { totalCount } }`, 200],
    [`query ($deep: Int = ${'['.repeat(101)}${']'.repeat(101)}) { me { id } }`, 400, /nested deeper than 100/],
    [`{ me(deep: ${'{ a: '.repeat(101)}1${'}'.repeat(101)}) { id } }`, 400, /nested deeper than 100/],
    [`{ me(deep: ${'[{ a: '.repeat(50)}1${'}]'.repeat(50)}) { id } }`, 400, /could not be read/],
    [`{ me { id } } #${'x'.repeat(190_000)}`, 200],
    [`{ me { id } } #${'x'.repeat(200_000)}`, 400],
  ] as const) {
    const answer = await ask(query);
    expect([query.slice(0, 100), answer.status]).toStrictEqual([query.slice(0, 100), status]);
    if (status === 400) expect(codes(answer)[0]).toBe('BAD_USER_INPUT');
    if (status === 400) expect(answer.errors?.[0]?.message ?? '').toMatch(message);
  }
});

test('introspection works at any depth outside production, and never in production', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { getIntrospectionQuery } = await import('graphql');
  const query = getIntrospectionQuery();
  const open = await startStack(cleanup);
  const { data, status } = await open.ask(query);
  expect(status).toBe(200);
  assert.ok(data !== null && data !== undefined && '__schema' in data);
  const names = (data['__schema'] as { types: { name: string }[] }).types.map(({ name }) => name);
  expect(names.some((name) => name.startsWith('join__') || name === '_Entity')).toBe(false);
  for (const overrides of [{ NODE_ENV: 'production', APOLLO_INTROSPECTION: 'true' }, { APOLLO_INTROSPECTION: 'false' }]) {
    const closed = await startStack(cleanup, overrides);
    expect((await closed.ask('{ __schema { types { name } } }')).status).toBe(400);
    expect((await closed.ask('{ __typename me { __typename id } }')).data).toStrictEqual({
      __typename: 'Query',
      me: { __typename: 'User', id: '1' },
    });
  }
});

test('the auth limit counts every attempt in a document: aliases, fragments, operation names, several fields', async () => {
  await using cleanup = new AsyncDisposableStack();
  const limits = { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_AUTH_MAX: '20', SECURITY_TRUST_PROXY: '1' };
  const { ask, base } = await startStack(cleanup, limits);
  let client = 0;
  const triesLeft = async (query: string): Promise<string | undefined> => {
    client += 1;
    const { headers } = await ask(query, {}, { 'x-forwarded-for': `203.0.113.${client}` });
    return /"auth";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  };
  const login = 'login(input: { provider: "email", providerId: "x" }) { accessToken }';
  expect(await triesLeft(`mutation { ${login} }`)).toBe('19');
  expect(await triesLeft(`mutation Me { a: ${login} b: ${login} refreshSession { accessToken } }`)).toBe('17');
  expect(
    await triesLeft(
      `mutation { ...A ...A } fragment A on Mutation { login: ${login} ... on Mutation { r: register(input: { provider: "", providerId: "" }) { accessToken } } }`,
    ),
  ).toBe('16');
  // A field that @skip leaves out counts as well.
  expect(await triesLeft(`mutation { a: ${login.replace(') {', ') @skip(if: true) {')} b: ${login} }`)).toBe('18');
  // Two operations without a name.
  expect(await triesLeft(`query login { me { id } } mutation A { ${login} }`)).toBeUndefined();
  // A refused document counts as well.
  expect(await triesLeft(`mutation { ${login} nothing }`)).toBe('19');
  expect(await triesLeft('{ me { id } login: me { name } }')).toBeUndefined();
  expect(await triesLeft('mutation login { updateMyUser(name: "login") { id } }')).toBeUndefined();
  const persisted = { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } };
  for (const [method, address, body] of [
    ['GET', `${base}/graphql?query=${encodeURIComponent(`mutation { ${login} }`)}`, undefined],
    ['POST', `${base}/graphql?query=${encodeURIComponent(`mutation { ${login} }`)}`, JSON.stringify(persisted)],
    ['POST', `${base}/graphql`, JSON.stringify([{ query: `mutation { ${login} }` }])],
  ] as const) {
    const answered = await fetch(address, { method, headers: { 'content-type': 'application/json' }, ...(body ? { body } : {}) });
    expect([`${method} ${address}`, [400, 404].includes(answered.status)]).toStrictEqual([`${method} ${address}`, true]);
    // A way to execute that is not counted.
    expect(await answered.text()).not.toMatch(/accessToken/);
  }
  const fifty = `mutation { ${Array.from({ length: 50 }, (_, index) => `a${index}: ${login}`).join(' ')} }`;
  const from = { 'x-forwarded-for': '198.51.100.1' };
  const refused = await ask(fifty, {}, from);
  expect(refused.status).toBe(429);
  expect(codes(refused)).toStrictEqual(['RATE_LIMIT_EXCEEDED']);
  expect((await ask(`mutation { ${login} }`, {}, from)).status).toBe(429);
  expect((await fetch(`${base}/api/auth/login`, { method: 'POST', headers: from })).status).toBe(429);
});
