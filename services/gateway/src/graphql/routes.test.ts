import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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

async function startStack(t: TestContext, overrides: Readonly<Record<string, string>> = {}): Promise<Stack> {
  const subgraphs = Object.fromEntries(
    await Promise.all(standIns.map(async (standIn) => [standIn.name, await startSubgraph(t, standIn)] as const)),
  );
  const urls = Object.fromEntries(Object.entries(subgraphs).map(([name, { url }]) => [`${name.toUpperCase()}_HTTP_URL`, url]));
  const base = await startGateway(t, { ...urls, ...overrides });
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

test('of several operations the named one is executed, planned or passed on', async (t) => {
  const { base } = await startStack(t);
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
  assert.deepEqual(await named('A'), [200, { me: { id: '1' } }]);
  assert.deepEqual(await named('B'), [200, { me: { name: 'User 1', roles: [{ id: 'organization-1' }] } }]);
  assert.deepEqual(await named('C'), [200, { refreshSession: { accessToken: 'fresh' } }]);
  assert.deepEqual(await named('D'), [400, null]);
  assert.deepEqual(await named(), [400, null]);
});

test('a large answer is compressed, but not one that hands out tokens', async (t) => {
  const { ask } = await startStack(t);
  const many = (field: string) =>
    `{ users(input: { ids: [${Array.from({ length: 100 }, (_, index) => `"${index}"`).join(',')}] }) { users { id name ${field} } } }`;
  const headers = { 'accept-encoding': 'br' };
  for (const field of ['', 'roles { id }']) assert.equal((await ask(many(field), {}, headers)).headers.get('content-encoding'), 'br');
  const login = `mutation { login(input: { provider: "email", providerId: "${'x'.repeat(5_000)}" }) { accessToken } }`;
  assert.equal((await ask(login, {}, headers)).headers.get('content-encoding'), null);
});

function codes({ errors = [] }: Answer) {
  return errors.map(({ extensions }) => extensions['code']);
}

test('a query over three services is one answer, each level asked for at once', async (t) => {
  const { ask, subgraphs } = await startStack(t);
  const { status, data, errors } = await ask('{ users { users { id name organizations { name roles { name } } roles { name } } } }');
  assert.equal(errors, undefined);
  assert.equal(status, 200);
  assert.deepEqual(data, {
    users: {
      users: ['1', '2'].map((id) => ({
        id,
        name: `User ${id}`,
        organizations: [{ name: 'Organization a', roles: [{ name: 'Role owner-of-a' }] }],
        roles: [{ name: `Role organization-${id}` }],
      })),
    },
  });
  assert.equal(subgraphs['tenancy']?.received.length, 1);
  assert.ok((subgraphs['rbac']?.received.length ?? 0) <= 2);
});

test('a service gets the bearer token, language, cookies and our credential; its cookies come back', async (t) => {
  const { ask, subgraphs } = await startStack(t);
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
    assert.equal(errors, undefined);
    assert.deepEqual(answered.getSetCookie(), ['refresh_token=new; Path=/; HttpOnly', 'other=1']);
    const received = subgraphs['identity']?.received.at(-1)?.headers ?? {};
    assert.equal(received['authorization'], 'Bearer abc');
    assert.equal(received['accept-language'], 'de');
    assert.equal(received['cookie'], 'refresh_token=old');
    assert.equal(received['x-tessera-client-ip'], '127.0.0.1');
    assert.equal(received['user-agent'], 'mine');
    assert.deepEqual(
      [received['content-encoding'], received['accept'], received['content-type']],
      [undefined, undefined, 'application/json'],
    );
    assert.match(String(received['x-tessera-service']), /^gateway\./);
  }
});

test('every service that wrote is named in the one consistency token; reading has none', async (t) => {
  const { ask } = await startStack(t);
  const tokenOf = async (query: string) => (await ask(query)).headers.get('x-consistency-token');
  assert.equal(await tokenOf('mutation { refreshSession { accessToken } }'), 'of-identity');
  assert.equal(await tokenOf('mutation { createOrganization(name: "A") { id } refreshSession { accessToken } }'), 'of-tenancy.of-identity');
  assert.equal(await tokenOf('{ me { id } }'), null);
});

test("a service's error keeps its code, message and path; the other fields keep their values", async (t) => {
  const { ask } = await startStack(t);
  const joined = '{ me { name roles { id } } bad: userOrError { name } }';
  for (const query of ['{ me { name } bad: userOrError { name } }', joined, joined]) {
    const { status, data, errors } = await ask(query);
    assert.equal(status, 200);
    assert.deepEqual(errors, [{ message: 'User not found.', path: ['bad'], extensions: { code: 'NOT_FOUND', resource: 'User' } }]);
    assert.deepEqual([JSON.stringify(data?.['me']).includes('User 1'), data?.['bad']], [true, null]);
  }
});

test('a dead service fails only its own fields, each named at its path, in the language of the client', async (t) => {
  const { ask, subgraphs } = await startStack(t);
  await subgraphs['rbac']?.close();
  const askJoined = () => ask('{ users { users { name roles { id } } } r: roles { id } }', {}, { 'accept-language': 'de' });
  const joined = await askJoined();
  const again = await askJoined();
  assert.deepEqual([again.data, again.errors], [joined.data, joined.errors]);
  assert.equal(joined.status, 200);
  assert.deepEqual(joined.data, {
    users: {
      users: [
        { name: 'User 1', roles: null },
        { name: 'User 2', roles: null },
      ],
    },
    r: null,
  });
  assert.deepEqual(new Set(codes(joined)), new Set(['SERVICE_UNAVAILABLE']));
  const paths = joined.errors?.map(({ path }) => path?.join('.')).sort();
  assert.deepEqual(paths, ['r', 'users.users.0.roles', 'users.users.1.roles']);
  assert.match(joined.errors?.[0]?.message ?? '', /rbac ist nicht erreichbar/);
  const alone = await ask('{ a: roles { id } b: roles { name } }');
  assert.equal(alone.status, 200);
  assert.equal(alone.data, null);
  assert.deepEqual(
    alone.errors?.map(({ path }) => path),
    [['a'], ['b']],
  );
});

test('a slow service fails its own fields in time', async (t) => {
  const { ask, subgraphs } = await startStack(t, { GATEWAY_SUBGRAPH_TIMEOUT_SECONDS: '1' });
  const [, , rbac] = standIns;
  assert.ok(rbac !== undefined);
  subgraphs['rbac']?.become({ ...rbac, resolvers: { ...rbac.resolvers, Query: { roles: () => new Promise(() => {}) } } });
  const { data, errors } = await ask('{ me { name } roles { id } }');
  assert.deepEqual(data, { me: { name: 'User 1' }, roles: null });
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path, extensions['code']]),
    [[['roles'], 'GATEWAY_TIMEOUT']],
  );
});

test('what one request is refused for is remembered of no other, however its name and its document are cut', async (t) => {
  const { base } = await startStack(t);
  const statusOf = async (query: string, operationName?: string) => {
    const body = JSON.stringify({ query, operationName });
    return (await fetch(`${base}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
  };
  assert.equal(await statusOf('query A { me { id } }', ''), 400);
  assert.equal(await statusOf('query A { me { id } }'), 200);
  assert.equal(await statusOf('me { name } }', '\nquery A {'), 400);
  assert.equal(await statusOf('query A {\nme { name } }'), 200);
  assert.equal(await statusOf('me { name id } }', 'A\nquery A {'), 400);
  assert.equal(await statusOf('query A {\nme { name id } }', 'A'), 200);
});

test('a document that does not parse or validate is 400; bad variables are 200; both BAD_USER_INPUT with null data', async (t) => {
  const { ask } = await startStack(t);
  for (const query of [
    '{ me {',
    '{ nothing }',
    'query A { me { id } } query B { me { id } }',
    'fragment X on User { id }',
    'subscription { me }',
    '{ me { roles(unknown: 1) { id } } }',
  ]) {
    const answer = await ask(query);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(new Set(codes(answer)), new Set(['BAD_USER_INPUT']), query);
    assert.equal(answer.data, null);
  }
  for (const variables of [
    {},
    { input: 5 },
    { input: { provider: 'email' } },
    { input: { provider: 'email', providerId: 'x', more: 1 } },
  ]) {
    const answer = await ask('mutation ($input: LoginInput!) { login(input: $input) { accessToken } }', variables);
    assert.equal(answer.status, 200);
    assert.deepEqual([new Set(codes(answer)), answer.data], [new Set(['BAD_USER_INPUT']), null]);
  }
});

test('what is no GraphQL request is a standard refusal: batches, other types, broken JSON, unknown keys, large bodies', async (t) => {
  const { base } = await startStack(t);
  const post = async (body: string, type = 'application/json') => {
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers: { 'content-type': type }, body });
    return [response.status, codes((await response.json()) as Answer)[0]];
  };
  assert.deepEqual(await post('[{"query":"{ me { id } }"}]'), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('{"query":'), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post(''), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('null'), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('{"query":"{ me { id } }","more":1}'), [400, 'BAD_USER_INPUT']);
  const nested = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
  assert.deepEqual(await post(`{"query":"{ me { id } }","variables":{"j":${nested}}}`), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('{"query":"{ me { id } }","variables":[]}'), [400, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('{ me { id } }', 'application/graphql'), [415, 'BAD_USER_INPUT']);
  assert.deepEqual(await post('query=x', 'text/plain'), [415, 'BAD_USER_INPUT']);
  assert.deepEqual(await post(JSON.stringify({ query: '{ me { id } }', variables: { x: 'x'.repeat(1024 * 1024) } })), [
    413,
    'BAD_USER_INPUT',
  ]);
  assert.deepEqual(await post(JSON.stringify({ query: 'x'.repeat(7 * 1024 * 1024) })), [413, 'BAD_USER_INPUT']);
});

test('depth 10, 1,000 fields, 10 root fields, 50 aliases, 200,000 characters: within is served, beyond is refused, fragments expanded', async (t) => {
  const { ask } = await startStack(t);
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
    assert.equal(answer.status, status, query.slice(0, 100));
    if (status === 400) assert.equal(codes(answer)[0], 'BAD_USER_INPUT');
    if (status === 400) assert.match(answer.errors?.[0]?.message ?? '', message);
  }
});

test('introspection works outside production, whatever its depth, and never in production', async (t) => {
  const { getIntrospectionQuery } = await import('graphql');
  const query = getIntrospectionQuery();
  const open = await startStack(t);
  const { data, status } = await open.ask(query);
  assert.equal(status, 200);
  assert.ok(data !== null && data !== undefined && '__schema' in data);
  const names = (data['__schema'] as { types: { name: string }[] }).types.map(({ name }) => name);
  assert.ok(!names.some((name) => name.startsWith('join__') || name === '_Entity'));
  for (const overrides of [{ NODE_ENV: 'production', APOLLO_INTROSPECTION: 'true' }, { APOLLO_INTROSPECTION: 'false' }]) {
    const closed = await startStack(t, overrides);
    assert.equal((await closed.ask('{ __schema { types { name } } }')).status, 400);
    assert.deepEqual((await closed.ask('{ __typename me { __typename id } }')).data, {
      __typename: 'Query',
      me: { __typename: 'User', id: '1' },
    });
  }
});

test('the auth limit counts what a document does: aliases, fragments, operation names, several fields', async (t) => {
  const limits = { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_AUTH_MAX: '20', SECURITY_TRUST_PROXY: '1' };
  const { ask, base } = await startStack(t, limits);
  let client = 0;
  const triesLeft = async (query: string): Promise<string | undefined> => {
    client += 1;
    const { headers } = await ask(query, {}, { 'x-forwarded-for': `203.0.113.${client}` });
    return /"auth";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  };
  const login = 'login(input: { provider: "email", providerId: "x" }) { accessToken }';
  assert.equal(await triesLeft(`mutation { ${login} }`), '19');
  assert.equal(await triesLeft(`mutation Me { a: ${login} b: ${login} refreshSession { accessToken } }`), '17');
  assert.equal(
    await triesLeft(
      `mutation { ...A ...A } fragment A on Mutation { login: ${login} ... on Mutation { r: register(input: { provider: "", providerId: "" }) { accessToken } } }`,
    ),
    '16',
  );
  assert.equal(
    await triesLeft(`mutation { a: ${login.replace(') {', ') @skip(if: true) {')} b: ${login} }`),
    '18',
    'what is left out counts, too',
  );
  assert.equal(await triesLeft(`query login { me { id } } mutation A { ${login} }`), undefined, 'which operation is meant is not said');
  assert.equal(await triesLeft(`mutation { ${login} nothing }`), '19', 'also of a document that is refused');
  assert.equal(await triesLeft('{ me { id } login: me { name } }'), undefined);
  assert.equal(await triesLeft('mutation login { updateMyUser(name: "login") { id } }'), undefined);
  const persisted = { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } };
  for (const [method, address, body] of [
    ['GET', `${base}/graphql?query=${encodeURIComponent(`mutation { ${login} }`)}`, undefined],
    ['POST', `${base}/graphql?query=${encodeURIComponent(`mutation { ${login} }`)}`, JSON.stringify(persisted)],
    ['POST', `${base}/graphql`, JSON.stringify([{ query: `mutation { ${login} }` }])],
  ] as const) {
    const answered = await fetch(address, { method, headers: { 'content-type': 'application/json' }, ...(body ? { body } : {}) });
    assert.ok([400, 404].includes(answered.status), `${method} ${address}`);
    assert.doesNotMatch(await answered.text(), /accessToken/, 'a way to execute that is not counted');
  }
  const fifty = `mutation { ${Array.from({ length: 50 }, (_, index) => `a${index}: ${login}`).join(' ')} }`;
  const from = { 'x-forwarded-for': '198.51.100.1' };
  const refused = await ask(fifty, {}, from);
  assert.equal(refused.status, 429);
  assert.deepEqual(codes(refused), ['RATE_LIMIT_EXCEEDED']);
  assert.equal((await ask(`mutation { ${login} }`, {}, from)).status, 429);
  assert.equal((await fetch(`${base}/api/auth/login`, { method: 'POST', headers: from })).status, 429);
});
