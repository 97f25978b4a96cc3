/** What the log of requests keeps of SCIM, and what it must never contain. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { outlineBody, outlineFilter } from '../../domain/scim/outline.ts';
import { pruneDeleted } from '../../storage/retention.ts';
import { call } from '../../testing/call.ts';
import { enterpriseUrn, openDirectory, patchUrn, userUrn } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

type Row = Readonly<Record<string, unknown>>;

async function listed(scope: object, token: string, more: object = {}, transport: 'rest' | 'graphql' = 'rest') {
  await service.deps.requestLog.flush();
  const { data, code } = await call(service, transport, 'listDirectoryRequests', { scope, ...more }, token);
  const items = (data?.['items'] ?? []) as readonly Row[];
  return { items, code, total: data?.['totalCount'] };
}

describe('the log of requests', () => {
  test('has method, path, filter, answer and reason of each request, newest first', async () => {
    const { owner, scope, accountId, ask, filtered, create } = await openDirectory(service);
    await create('ada@elsewhere.example', { password: 'correct horse', name: { givenName: 'Ada' } });
    await filtered('userName eq "ada@elsewhere.example"');
    await filtered('nonsense eq 1');
    await ask('POST', '/Users', '{ not JSON');
    const { items, total } = await listed(scope, owner.token);
    expect(total).toBe(4);
    expect(items.map(({ method, path, status, scimType }) => [method, path, status, scimType])).toStrictEqual([
      ['POST', '/Users', 400, 'invalidSyntax'],
      ['GET', '/Users', 400, 'invalidFilter'],
      ['GET', '/Users', 200, null],
      ['POST', '/Users', 201, null],
    ]);
    const [, refused, found, made] = items;
    expect(refused?.['detail']).toMatch(/nonsense/);
    expect(found?.['filter']).toBe('userName eq "ada@elsewhere.example"');
    expect(made).toMatchObject({ serviceAccountId: accountId, credentialId: accountId, ipAddress: '127.0.0.1' });
    expect(made?.['body']).toStrictEqual({
      schemas: [userUrn],
      userName: 'ada@elsewhere.example',
      password: '[text of 13 characters]',
      name: { givenName: 'Ada' },
    });
    const only = await listed(scope, owner.token, { isRefused: true }, 'graphql');
    expect(only.total).toBe(2);
  });

  test('has refusals of an own account, and no row by a stranger, a person or another organization', async () => {
    const mine = await openDirectory(service, 'Mine');
    const other = await openDirectory(service, 'Other');
    const url = `/scim/v2/${mine.organizationId}/Users`;
    const unknown = { authorization: 'Bearer nobody.knows.this' };
    for (const headers of [{}, unknown, { authorization: `Bearer ${other.token}` }, { authorization: `Bearer ${mine.owner.token}` }])
      await service.app.inject({ method: 'POST', url, headers, payload: {} });
    service.rbac.directories.delete(`${mine.organizationId}:${mine.accountId}`);
    await mine.ask('GET', '/Users');
    const { items } = await listed(mine.scope, mine.owner.token);
    expect(items.map(({ status, path }) => [status, path])).toStrictEqual([[403, '/Users']]);
    expect((await listed(other.scope, other.owner.token)).total).toBe(0);
    expect((await listed(mine.scope, other.owner.token)).code).toBe('FORBIDDEN');
  });

  test('keeps the last thousand of each organization, for 30 days', async () => {
    const { owner, organizationId, scope, accountId } = await openDirectory(service, 'Busy');
    const quiet = await openDirectory(service, 'Quiet');
    await quiet.ask('GET', '/Users');
    const request = {
      organizationId,
      serviceAccountId: accountId,
      credentialId: accountId,
      ipAddress: '192.0.2.1',
      method: 'GET',
      status: 200,
      durationMs: 1.6,
    };
    const more = { filter: undefined, scimType: undefined, detail: undefined, body: undefined };
    for (let at = 0; at < 700; at += 1) service.deps.requestLog.note({ ...request, ...more, path: `/Users/${at}` });
    await service.deps.requestLog.flush();
    for (let at = 700; at < 1_900; at += 1) service.deps.requestLog.note({ ...request, ...more, path: `/Users/${at}` });
    const { items, total } = await listed(scope, owner.token, { limit: 1 });
    expect([total, items[0]?.['path'], items[0]?.['durationMs']]).toStrictEqual([1_000, '/Users/1899', 2]);
    await service.query(`UPDATE directory_requests SET created_at = now() - interval '31 days' WHERE path = '/Users/1899'`);
    await pruneDeleted(service.database);
    expect([(await listed(scope, owner.token)).total, (await listed(quiet.scope, quiet.owner.token)).total]).toStrictEqual([999, 1]);
  });

  test('a log that cannot be written neither fails a request nor holds up another organization', async () => {
    const directory = await openDirectory(service, 'Steady');
    const note = {
      serviceAccountId: newId(),
      credentialId: newId(),
      ipAddress: '::1',
      method: 'GET',
      status: 200,
      durationMs: 0,
      path: '/',
    };
    const more = { filter: undefined, scimType: undefined, detail: undefined, body: undefined };
    service.deps.requestLog.note({ ...note, ...more, organizationId: newId() });
    expect((await directory.ask('GET', '/Users')).status).toBe(200);
    expect((await listed(directory.scope, directory.owner.token)).total).toBe(1);
  });
});

describe('what is shown of a body', () => {
  test.each<[string, unknown, unknown]>([
    [
      'values of attributes without a schema',
      { favourite: 'rose', pin: 1234, on: true },
      { favourite: '[text of 4 characters]', pin: '[number]', on: true },
    ],
    [
      'a password, wherever a PATCH puts it',
      {
        schemas: [patchUrn],
        Operations: [
          { op: 'Replace', path: 'password', value: 'hunter2' },
          { op: 'Add', value: { password: 'hunter2', title: 'Dr', 'name.givenName': 'Ada' } },
          { op: 'Add', path: 'secret', value: [{ value: 'hunter2' }] },
          { op: 'Replace', path: 'emails[type eq "work"].value', value: 'a@example.com' },
          { op: 'Add', path: `${enterpriseUrn}:department`, value: 'R&D' },
        ],
      },
      {
        schemas: [patchUrn],
        Operations: [
          { op: 'Replace', path: 'password', value: '[text of 7 characters]' },
          { op: 'Add', value: { password: '[text of 7 characters]', title: 'Dr', 'name.givenName': 'Ada' } },
          { op: 'Add', path: 'secret', value: [{ value: '[text of 7 characters]' }] },
          { op: 'Replace', path: 'emails[type eq "work"].value', value: 'a@example.com' },
          { op: 'Add', path: `${enterpriseUrn}:department`, value: 'R&D' },
        ],
      },
    ],
    [
      'tokens in a value that is shown',
      { title: 'Bearer abc.def', userName: 'tas_AAAABBBBCCCC', displayName: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIi.x' },
      { title: '[hidden]', userName: '[hidden]', displayName: '[hidden].x' },
    ],
  ])('hides %s', (_what, body, shown) => expect(outlineBody(body)).toStrictEqual(shown));

  test('is bounded for long texts, lists, names and depths, and is text that Postgres takes', () => {
    const deep = { name: { name: { name: { name: { name: { name: { name: 1 } } } } } } };
    expect(outlineBody({ title: 'x'.repeat(5_000) })).toStrictEqual({ title: `${'x'.repeat(99)}…` });
    expect(JSON.stringify(outlineBody(deep))).toContain('[object]');
    expect(outlineBody({ title: 'a\u0000b\ud800' })).toStrictEqual({ title: 'a\uFFFDb\uFFFD' });
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${'é'.repeat(300)}${at}`, ['é'.repeat(300)]]));
    const large = { ...wide, Operations: Array.from({ length: 1_000 }, () => ({ value: wide })) };
    expect(Buffer.byteLength(JSON.stringify(outlineBody(large)))).toBeLessThan(20_000);
  });

  test('hides the values of a filter by a secret', () => {
    expect(outlineFilter('password eq "hunter2" and title eq "x\\"y"')).toBe('password eq "…" and title eq "…"');
    expect(outlineFilter('userName eq "ada"')).toBe('userName eq "ada"');
    expect(outlineFilter(`userName eq "${'x'.repeat(9_000)}"`)).toHaveLength(300);
  });
});
