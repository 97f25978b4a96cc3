/** Bulk requests: each operation as if it had come alone, references between them, and attacks. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../../test/support/until.ts';
import { planOf } from '../../domain/scim/bulk.ts';
import { call } from '../../testing/call.ts';
import { type Directory, enterpriseUrn, groupUrn, openDirectory, patchUrn, userUrn } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

const bulkUrn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
type Operation = Readonly<Record<string, unknown>>;
type Shown = {
  readonly status: string;
  readonly location?: string;
  readonly version?: string;
  readonly response?: { scimType?: string; detail: string };
};

let acme: Directory;
beforeAll(async () => {
  acme = await openDirectory(service);
  await acme.prove('bulk.example');
});

async function bulk(Operations: unknown, more: object = {}, directory: Directory = acme) {
  const { status, json, headers } = await directory.ask('POST', '/Bulk', { schemas: [bulkUrn], ...more, Operations });
  const operations: readonly Shown[] = json.Operations ?? [];
  return { status, json, headers, operations, statuses: operations.map((one) => one.status).join(' ') };
}

let counter = 0;
function nameOf(): string {
  counter += 1;
  return `p${counter}@bulk.example`;
}
const user = (bulkId: string, more: object = {}): Operation => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { schemas: [userUrn], userName: nameOf(), ...more },
});
const group = (bulkId: string, members: readonly unknown[], more: object = {}): Operation => ({
  method: 'POST',
  path: '/Groups',
  bulkId,
  data: { schemas: [groupUrn], displayName: `Group ${bulkId}`, members, ...more },
});
const idIn = (location = ''): string => location.slice(location.lastIndexOf('/') + 1);
const membersOf = async (id: string): Promise<readonly string[]> =>
  ((await acme.ask('GET', `/Groups/${id}`)).json.members ?? []).map(({ value }: { value: string }) => value);
const managerOf = async (id: string): Promise<unknown> => (await acme.ask('GET', `/Users/${id}`)).json[enterpriseUrn]?.manager?.value;

describe('a bulk request', () => {
  test('answers each operation with status, location and version, in its order', async () => {
    const base = `https://tessera.example/scim/v2/${acme.organizationId}`;
    const made = await bulk([user('ada', { externalId: 'ext-1' }), group('g', [])]);
    const [ada, one] = made.operations.map(({ location }) => idIn(location));
    expect([made.status, made.headers['content-type'], made.json.schemas]).toStrictEqual([
      200,
      'application/scim+json; charset=utf-8',
      ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
    ]);
    expect(made.json.Operations).toStrictEqual([
      { method: 'POST', bulkId: 'ada', version: 'W/"1"', location: `${base}/Users/${ada}`, status: '201' },
      { method: 'POST', bulkId: 'g', version: 'W/"1"', location: `${base}/Groups/${one}`, status: '201' },
    ]);
    const { statuses, operations } = await bulk([
      {
        method: 'PATCH',
        path: `/Users/${ada}`,
        data: { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'title', value: 'Dr' }] },
      },
      { method: 'put', path: `/Groups/${one}`, version: 'W/"1"', data: { schemas: [groupUrn], displayName: 'New', members: [ada] } },
      { method: 'PUT', path: `/Groups/${one}`, version: 'W/"1"', data: { schemas: [groupUrn], displayName: 'Late' } },
      { method: 'DELETE', path: `/Groups/${one}` },
      { method: 'DELETE', path: `/Users/${newId()}` },
    ]);
    expect(statuses).toBe('200 200 412 204 404');
    expect(operations.map(({ location }) => location === undefined)).toStrictEqual([false, false, false, false, false]);
    expect(operations[2]?.response).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '412' });
    expect((await acme.ask('GET', `/Users/${ada}`)).json).toMatchObject({ title: 'Dr', externalId: 'ext-1' });
  });

  test('gives each operation its row of the audit log and its member, as if it had come alone', async () => {
    const directory = await openDirectory(service, 'Audited');
    await directory.prove('audited.example');
    const operations = ['one', 'two'].map((bulkId) => user(bulkId, { userName: `${bulkId}@audited.example` }));
    await bulk([...operations, group('g', [{ value: 'bulkId:one' }])], {}, directory);
    const rows = await service.query<{ action: string; actor_id: string }>(
      'SELECT action, actor_id FROM audit_log WHERE scope_id = $1 AND actor_id = $2',
      [directory.organizationId, directory.accountId],
    );
    expect(rows.map(({ action }) => action).toSorted()).toStrictEqual([
      'directoryGroup.created',
      'directoryUser.created',
      'directoryUser.created',
    ]);
    expect(await directory.members()).toHaveLength(3);
  });

  test('goes on after a failure, and ends after as many as failOnErrors says', async () => {
    const userName = nameOf();
    const operations = [user('a', { userName }), user('b', { userName }), user('c', { userName }), user('d')];
    const ended = await bulk(operations, { failOnErrors: 1 });
    expect([ended.statuses, ended.operations[1]?.response?.scimType]).toStrictEqual(['201 409', 'uniqueness']);
    const again = await bulk(operations);
    expect(again.statuses).toBe('409 409 409 201');
    const twice = await bulk(operations, { failOnErrors: 2 });
    expect(twice.statuses).toBe('409 409');
  });
});

describe('references by bulkId', () => {
  test('in members, in the path of a PATCH, in a path, and in the manager', async () => {
    const { statuses, operations } = await bulk([
      user('boss'),
      user('ada', { [enterpriseUrn]: { manager: { value: 'bulkId:boss' } } }),
      group('g', [{ value: 'bulkId:boss', type: 'User' }, 'bulkId:ada']),
      {
        method: 'PATCH',
        path: '/Groups/bulkId:g',
        data: { schemas: [patchUrn], Operations: [{ op: 'remove', path: 'members[value eq "bulkId:boss"]' }] },
      },
    ]);
    expect(statuses).toBe('201 201 201 204');
    const [boss, ada, made] = operations.map(({ location }) => idIn(location));
    expect([await managerOf(ada ?? ''), await membersOf(made ?? '')]).toStrictEqual([boss, [ada]]);
    expect(operations[3]?.location).toBe(operations[2]?.location);
  });

  test('to later operations, whose answers stand in the order of the request', async () => {
    const { statuses, operations } = await bulk([group('g', [{ value: 'bulkId:ada' }]), user('x'), user('ada')]);
    expect(statuses).toBe('201 201 201');
    expect(await membersOf(idIn(operations[0]?.location))).toStrictEqual([idIn(operations[2]?.location)]);
  });

  test('in a circle: all are made, and then know each other', async () => {
    const manager = (of: string) => ({ title: 'Head', [enterpriseUrn]: { department: 'R&D', manager: { value: `bulkId:${of}` } } });
    const { statuses, operations } = await bulk([
      user('a', manager('c')),
      user('b', manager('a')),
      user('c', manager('b')),
      user('self', manager('self')),
    ]);
    expect(statuses).toBe('201 201 201 201');
    const ids = operations.map(({ location }) => idIn(location));
    expect(await Promise.all(ids.map(managerOf))).toStrictEqual([ids[2], ids[0], ids[1], ids[3]]);
    for (const [index, id] of ids.entries()) {
      const { json } = await acme.ask('GET', `/Users/${id}`);
      expect([json.title, json[enterpriseUrn].department, json.meta.version]).toStrictEqual(['Head', 'R&D', operations[index]?.version]);
    }
  });

  test('in a circle of groups are refused, because groups have people as members', async () => {
    const { statuses, operations } = await bulk([group('a', [{ value: 'bulkId:b' }]), group('b', [{ value: 'bulkId:a' }])]);
    expect([statuses, operations[0]?.response?.detail]).toStrictEqual(['409 400', expect.stringMatching(/bulkId "b" has made nothing/)]);
    // It is there, and the answer says where.
    expect((await acme.ask('GET', `/Groups/${idIn(operations[0]?.location)}`)).status).toBe(200);
  });

  test('to what failed are 409, and to what is not in the request 400', async () => {
    const { statuses, operations } = await bulk([
      user('bad', { userName: 'no address' }),
      group('g', [{ value: 'bulkId:bad' }]),
      { method: 'DELETE', path: '/Users/bulkId:bad' },
      { method: 'DELETE', path: '/Groups/bulkId:g' },
      group('h', [{ value: 'bulkId:nobody' }]),
      group('i', [{ value: 'bulkId:__proto__' }]),
    ]);
    expect([statuses, operations[4]?.response?.scimType]).toStrictEqual(['400 409 409 409 400 400', 'invalidValue']);
    expect(operations.every(({ location }) => location === undefined)).toBe(true);
  });

  test('of a hundred operations in one circle are planned once each', () => {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      method: 'POST' as const,
      path: '/Users',
      bulkId: `${at}`,
      version: undefined,
      data: { list: Array.from({ length: 100 }, (_other, other) => ({ value: `bulkId:${other}` })) },
    }));
    const began = performance.now();
    const steps = planOf(operations);
    expect(
      steps
        .filter(({ isCompletion }) => !isCompletion)
        .map(({ index }) => index)
        .toSorted((a, b) => a - b),
    ).toStrictEqual([...operations.keys()]);
    expect(performance.now() - began).toBeLessThan(300);
  });
});

describe('what is no bulk request is refused before anything is done', () => {
  const cases: readonly (readonly [string, unknown, number, string | undefined])[] = [
    ['no list', {}, 400, 'invalidSyntax'],
    ['an empty list', [], 400, 'invalidSyntax'],
    ['101 operations', Array.from({ length: 101 }, (_, at) => user(`${at}`)), 413, undefined],
    ['an operation that is none', [user('a'), 7], 400, 'invalidSyntax'],
    ['GET', [user('a'), { method: 'GET', path: '/Users' }], 400, 'invalidSyntax'],
    ['no path', [user('a'), { method: 'DELETE' }], 400, 'invalidSyntax'],
    ['a bulkId twice', [user('a'), user('a')], 400, 'invalidValue'],
    ['a bulkId that is no text', [user('a'), { ...user('b'), bulkId: { toString: 1 } }], 400, 'invalidSyntax'],
    ['a bulkId with a quote', [user('a'), user('b"] or id pr')], 400, 'invalidValue'],
    ['a bulkId of 201 characters', [user('a'), user('b'.repeat(201))], 400, 'invalidValue'],
  ];
  test.each(cases)('%s', async (_name, operations, status, scimType) => {
    const before = await acme.members();
    const refused = await bulk(operations);
    expect([refused.status, refused.json.scimType, await acme.members()]).toStrictEqual([status, scimType, before]);
  });

  test.each([0, -1, 1.5, '1', null, {}])('failOnErrors %j', async (failOnErrors) => {
    const { status } = await bulk([user('a')], { failOnErrors });
    expect(status).toBe(failOnErrors === null ? 200 : 400);
  });

  test('another schema, GET, and a body above the bound', async () => {
    expect((await acme.ask('POST', '/Bulk', { schemas: [patchUrn], Operations: [user('a')] })).status).toBe(400);
    expect((await acme.ask('GET', '/Bulk')).status).toBe(404);
    expect((await acme.ask('POST', '/Bulk/x', { schemas: [bulkUrn], Operations: [user('a')] })).status).toBe(404);
    const huge = await bulk(Array.from({ length: 100 }, (_, at) => user(`${at}`, { title: 'x'.repeat(11_000) })));
    expect([huge.status, huge.json.schemas]).toStrictEqual([413, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
    const { json } = await acme.ask('GET', '/ServiceProviderConfig');
    expect(json.bulk).toStrictEqual({ supported: true, maxOperations: 100, maxPayloadSize: 1_048_576 });
  });

  test('`__proto__` anywhere, and depth without end', async () => {
    const body = (data: string) =>
      `{"schemas":["${bulkUrn}"],"Operations":[{"method":"POST","path":"/Users","bulkId":"a","data":${data}}]}`;
    const proto = await acme.ask('POST', '/Bulk', body('{"__proto__":{"active":false}}'));
    expect(proto.status).toBe(400);
    const deep = await acme.ask('POST', '/Bulk', body(`${'['.repeat(200_000)}${']'.repeat(200_000)}`));
    expect([deep.status, deep.json.Operations[0].status]).toStrictEqual([200, '400']);
    const named = await acme.ask('POST', '/Bulk', body('{"schemas":["x"],"constructor":{"prototype":"bulkId:a"},"toString":"bulkId:a"}'));
    expect([named.status, ({} as { active?: boolean }).active]).toStrictEqual([400, undefined]);
  });
});

describe('what an attacker would send', () => {
  test('a Bulk in a Bulk, a search, discovery, and paths that lead elsewhere', async () => {
    const globex = await openDirectory(service, 'Globex');
    const { json: eve } = await globex.create(`eve.${newId().slice(-6)}@globex.example`);
    const data = { schemas: [bulkUrn], Operations: [user('inner')] };
    const post = (path: string, bulkId: string): Operation => ({ method: 'POST', path, bulkId, data });
    const remove = (path: string): Operation => ({ method: 'DELETE', path });
    const { operations } = await bulk([
      post('/Bulk', '1'),
      post('/Me', '2'),
      post('/.search', '3'),
      post('/Users/.search', '4'),
      post('/Schemas', '5'),
      post('', '6'),
      post('/Users?attributes=id', '7'),
      remove(`/Users/${eve.id}`),
      remove(`/../${globex.organizationId}/Users/${eve.id}`),
      remove(`/Users/../../${globex.organizationId}/Users/${eve.id}`),
      remove(`/Users/..%2f..%2f${globex.organizationId}%2fUsers%2f${eve.id}`),
      remove(`https://tessera.example/scim/v2/${globex.organizationId}/Users/${eve.id}`),
      remove(`//tessera.example/scim/v2/${globex.organizationId}/Users/${eve.id}`),
      remove('/Users'),
      remove('/Users/bulkId:'),
      { method: 'POST', path: '/Users', data: { schemas: [userUrn], userName: nameOf() } },
    ]);
    const found = operations.map(({ status }) => status);
    expect(found).toStrictEqual('404 404 400 400 404 400 400 404 400 400 404 400 400 400 400 400'.split(' '));
    expect((await globex.ask('GET', `/Users/${eve.id}`)).status).toBe(200);
  });

  test('a token of another organization, a person’s, or one without the role gets 403 for all, whatever is inside', async () => {
    const globex = await openDirectory(service, 'Stranger');
    const body = JSON.stringify({ schemas: [bulkUrn], Operations: [user('a')] });
    const url = `/scim/v2/${acme.organizationId}/Bulk`;
    for (const token of [globex.token, acme.owner.token]) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
      expect((await service.app.inject({ method: 'POST', url, headers, payload: body })).statusCode).toBe(403);
    }
    service.rbac.directories.delete(`${globex.organizationId}:${globex.accountId}`);
    const { status, headers } = await bulk([user('a')], {}, globex);
    expect([status, headers['x-tessera-operations']]).toStrictEqual([403, undefined]);
  });

  test('a credential that ends under way: the rest is refused', async () => {
    const directory = await openDirectory(service, 'Ending');
    await directory.prove('ending.example');
    const end = until(async () => (await directory.members()).length > 3).then(() =>
      service.rbac.directories.delete(`${directory.organizationId}:${directory.accountId}`),
    );
    const { operations } = await bulk(
      Array.from({ length: 100 }, (_, at) => user(`${at}`, { userName: `p${at}@ending.example` })),
      {},
      directory,
    );
    await end;
    const statuses = operations.map(({ status }) => status);
    const first = statuses.indexOf('403');
    expect(first).toBeGreaterThan(1);
    expect([new Set(statuses.slice(0, first)), new Set(statuses.slice(first))]).toStrictEqual([new Set(['201']), new Set(['403'])]);
  });

  test('the last Owner stays, also in a Bulk', async () => {
    const directory = await openDirectory(service, 'Owned');
    await directory.prove('owned.example');
    const made = await directory.create(directory.owner.email);
    const { operations } = await bulk([{ method: 'DELETE', path: `/Users/${made.json.id}` }], {}, directory);
    expect(operations.map(({ status }) => status)).toStrictEqual(['403']);
  });

  test('three at once: the third waits, and none multiplies what is counted', async () => {
    const operations = Array.from({ length: 20 }, (_, at) => user(`${at}`));
    const again = () => Array.from({ length: 20 }, (_, at) => user(`${at}`));
    const answers = await Promise.all([bulk(operations), bulk(again()), bulk(again())]);
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 200, 429]);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
    expect(answers.filter(({ status }) => status === 200).map(({ headers }) => headers['x-tessera-operations'])).toStrictEqual([
      '20',
      '20',
    ]);
    expect((await bulk([user('after')])).status).toBe(200);
  });

  test('a client that goes away gets no more done for it', async () => {
    const directory = await openDirectory(service, 'Gone');
    await directory.prove('gone.example');
    const address = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }));
    const operations = Array.from({ length: 100 }, (_, at) => user(`${at}`, { userName: `p${at}@gone.example` }));
    const payload = JSON.stringify({ schemas: [bulkUrn], Operations: operations });
    const socket = connect(Number(address.port), '127.0.0.1');
    const head = [
      `POST /scim/v2/${directory.organizationId}/Bulk HTTP/1.1`,
      'host: tessera.example',
      `authorization: Bearer ${directory.token}`,
      'content-type: application/scim+json',
      `content-length: ${Buffer.byteLength(payload)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${payload}`);
    await until(async () => (await directory.members()).length > 3);
    socket.destroy();
    let before = -1;
    await until(async () => {
      const now = (await directory.members()).length;
      const isStill = now === before;
      before = now;
      return isStill;
    });
    expect(before).toBeLessThan(90);
  });
});

test('the log of requests has one row, with how many failed and why, among those that were refused', async () => {
  const directory = await openDirectory(service, 'Logged');
  await bulk([user('a', { userName: 'a@x.example', password: 'hunter2' }), user('b', { userName: 'none' })], {}, directory);
  await bulk([user('c', { userName: 'c@x.example' })], {}, directory);
  await service.deps.requestLog.flush();
  const list = async (more: object) => {
    const { data } = await call(service, 'rest', 'listDirectoryRequests', { scope: directory.scope, ...more }, directory.owner.token);
    return (data?.['items'] ?? []) as readonly Operation[];
  };
  const [, row] = await list({});
  expect(row).toMatchObject({ method: 'POST', path: '/Bulk', status: 200, scimType: 'invalidValue' });
  expect(row?.['detail']).toMatch(/^1 of 2 operations failed; the first, number 2, POST \/Users: 400 The person needs an email address/);
  const body = JSON.stringify(row?.['body']);
  expect([body.includes('a@x.example'), body.includes('hunter2')]).toStrictEqual([true, false]);
  expect((await list({ isRefused: true })).map(({ id }) => id)).toStrictEqual([row?.['id']]);
  expect(await list({ isRefused: false })).toHaveLength(1);
});
