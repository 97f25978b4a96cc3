import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { defineOperation } from '@tessera/kernel/operation';
import { sql } from '@tessera/kernel/postgres';
import { accountId, createFixture, createNote, type NoteDeps } from './testing/notes.ts';

const fixture = await createFixture();
afterAll(() => fixture.close());
await fixture.database.query(sql('GRANT DELETE ON audit_log TO CURRENT_USER'));
beforeEach(async () => {
  for (const table of ['notes', 'audit_log', 'outbox']) await fixture.database.query(sql(`DELETE FROM ${table}`));
});

const scope = { tenant: 'account', id: accountId };
function post(body: unknown, token?: string, headers: Record<string, string> = {}) {
  return fixture.app.inject({
    method: 'POST',
    url: '/api/notes',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
async function graphql(query: string, variables: object, token = 'owner') {
  const answer = await fixture.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${token}` },
    payload: { query, variables },
  });
  return { status: answer.statusCode, body: answer.json() };
}
async function count(table: string): Promise<number> {
  const [row] = await fixture.database.query<{ n: number }>(sql(`SELECT count(*) AS n FROM ${table}`));
  return row?.n ?? -1;
}
function auditRows() {
  return fixture.database.query<{ action: string; outcome: string; code: string | null }>(
    sql('SELECT action, outcome, code FROM audit_log ORDER BY id'),
  );
}

describe('the pipeline, step by step', () => {
  test('identifies: no token and an unknown token are 401 before anything else is looked at', async () => {
    for (const answer of [
      await post({ nonsense: 1 }),
      await post('{', 'forged'),
      await post({ scope, title: 'a' }, undefined, { authorization: 'Basic x' }),
    ]) {
      expect(answer.statusCode).toBe(401);
      expect(answer.json().code).toBe('UNAUTHENTICATED');
      expect(answer.json().translationKey).toBe('errors.unauthenticated');
    }
  });

  test('validates: unknown keys, wrong types, missing fields, NUL and deep nesting are 400 and name the field', async () => {
    const cases: [unknown, string][] = [
      [{ scope, title: 'a', extra: 1 }, 'extra'],
      [{ scope, title: 5 }, 'title'],
      [{ scope }, 'title'],
      [{ title: 'a' }, 'scope'],
      [{ scope: { ...scope, more: 1 }, title: 'a' }, 'scope.more'],
      [{ scope: { tenant: 'account', id: 'x'.repeat(36) }, title: 'a' }, 'scope.id'],
      [{ scope: { tenant: 'organizationProject', id: `${accountId}:${accountId}` }, title: 'a' }, 'scope.tenant'],
      [{ scope, title: 'a\0b' }, 'title'],
      [{ scope, title: '\ud800' }, 'title'],
    ];
    for (const [body, field] of cases) {
      const answer = await post(body, 'owner');
      expect(answer.statusCode).toStrictEqualFor(body, 400);
      expect(answer.json().code).toBe('VALIDATION_ERROR');
      expect(answer.json().extensions.field).toBe(field);
    }
    expect(await count('notes')).toBe(0);
  });

  test('answers invalid JSON and wrong media types as the table of errors says, in both languages', async () => {
    const invalid = await post('{"scope":', 'owner', { 'accept-language': 'de-AT,en;q=0.5' });
    expect(invalid.statusCode).toBe(400);
    expect(invalid.json().code).toBe('BAD_USER_INPUT');
    expect(invalid.json().error).toMatch(/kein gültiges JSON/);
    const poisoned = await post('{"__proto__":{"x":1}}', 'owner');
    expect([poisoned.statusCode, poisoned.json().extensions.field]).toStrictEqual([400, '__proto__']);
    const form = await fixture.app.inject({ method: 'POST', url: '/api/notes', headers: { 'content-type': 'text/plain' }, payload: 'x' });
    expect([form.statusCode, form.json().code]).toStrictEqual([415, 'BAD_USER_INPUT']);
    const large = await post({ scope, title: 'x'.repeat(1_100_000) }, 'owner');
    expect([large.statusCode, large.json().code]).toStrictEqual([413, 'BAD_USER_INPUT']);
  });

  test('verifies: an unverified user is stopped in an organization, not in an account, and always for account settings', async () => {
    expect((await post({ scope, title: 'a' }, 'unverified')).statusCode).toBe(201);
    const answer = await post({ scope: { tenant: 'organization', id: accountId }, title: 'a' }, 'unverified');
    expect([answer.statusCode, answer.json().code]).toStrictEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    const removal = await fixture.app.inject({
      method: 'DELETE',
      url: `/api/notes/${accountId}?tenant=account&scopeId=${accountId}`,
      headers: { authorization: 'Bearer unverified' },
    });
    expect(removal.json().code).toBe('EMAIL_VERIFICATION_REQUIRED');
  });

  test('authorizes: 403 without the right, 404 for a missing thing only to those who hold it', async () => {
    expect((await post({ scope, title: 'a' }, 'nobody')).json().code).toBe('FORBIDDEN');
    const remove = (id: string, token: string) =>
      fixture.app.inject({
        method: 'DELETE',
        url: `/api/notes/${id}?tenant=account&scopeId=${accountId}`,
        headers: { authorization: `Bearer ${token}` },
      });
    const missing = accountId.replace(/1$/, '0');
    expect((await remove(missing, 'owner')).statusCode).toBe(404);
    expect((await remove(missing, 'nobody')).statusCode).toBe(403);
    expect((await remove(accountId, 'owner')).statusCode).toBe(200);
  });

  test('transacts: a failure after the insert leaves no row, no event and no audit of a change', async () => {
    const answer = await post({ scope, title: 'explode' }, 'owner');
    expect([answer.statusCode, answer.json().code]).toStrictEqual([500, 'INTERNAL_ERROR']);
    expect(answer.body).not.toMatch(/after the insert/);
    expect([await count('notes'), await count('outbox')]).toStrictEqual([0, 0]);
    expect(await auditRows()).toStrictEqual([{ action: 'note.created', outcome: 'failed', code: 'INTERNAL_ERROR' }]);
  });

  test('commits row, event and audit together, and delivers the event after the commit', async () => {
    const before = fixture.delivered.length;
    const answer = await post({ scope, title: 'kept' }, 'owner');
    expect(answer.statusCode).toBe(201);
    expect([await count('notes'), await count('outbox')]).toStrictEqual([1, 3]);
    expect((await auditRows()).map(({ action, outcome }) => [action, outcome])).toStrictEqual([['note.created', 'ok']]);
    expect(fixture.delivered).toHaveLength(before + 1);
  });

  test('counts operations by their outcome, and keeps no row for unknown callers', async () => {
    await post({ scope, title: 'a' });
    await post({ scope, title: 'a' }, 'forged');
    expect(await auditRows()).toStrictEqual([]);
    await post({ scope, title: 'kept' }, 'owner');
    const outcomes = ['UNAUTHENTICATED', 'UNAUTHENTICATED', 'ok'].map((outcome) => ['createNote', outcome]);
    expect(fixture.outcomes.slice(-3)).toStrictEqual(outcomes);
  });

  test('audits refusals', async () => {
    await post({ scope, title: 'a' }, 'nobody');
    expect(await auditRows()).toStrictEqual([{ action: 'note.created', outcome: 'refused', code: 'FORBIDDEN' }]);
  });

  test('projects: a column that the output does not declare never leaves', async () => {
    const answer = await post({ scope, title: 'kept' }, 'owner');
    expect(answer.body).not.toMatch(/hidden|secret/);
    expect(Object.keys(answer.json().data).sort()).toStrictEqual(['createdAt', 'deletedAt', 'id', 'title', 'updatedAt']);
  });
});

describe('lists and relations', () => {
  test('reads query parameters by their schema and refuses what does not fit', async () => {
    const list = (query: string) =>
      fixture.app.inject({ url: `/api/notes?tenant=account&scopeId=${accountId}&${query}`, headers: { authorization: 'Bearer owner' } });
    await post({ scope, title: 'one' }, 'owner');
    await post({ scope, title: 'two' }, 'owner');
    for (const good of ['sortOrder=DESC', 'sortOrder=aSc', `ids=${accountId}&ids=${accountId},${accountId}`])
      expect([good, (await list(good)).statusCode]).toStrictEqual([good, 200]);
    fixture.deps.loads.count = 0;
    const page = await list('page=1&limit=1&relations=readers');
    expect([page.json().data.totalCount, page.json().data.hasNextPage]).toStrictEqual([2, true]);
    expect(page.json().data.items[0].readers).toStrictEqual(['reader of one']);
    expect(fixture.deps.loads.count).toBe(1);
    for (const bad of [
      'limit=0',
      'limit=-1',
      'limit=101',
      'limit=abc',
      'page=0',
      'nope=1',
      'relations=nope',
      'sortField=secret',
      'page=1&page=2',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'scope=x',
    ])
      expect((await list(bad)).statusCode).toStrictEqualFor(bad, 400);
  });

  test('serves the same over GraphQL, loads a nested field once for all rows, and maps errors to the same codes', async () => {
    const created = await graphql(
      'mutation($input: CreateNoteInput!) { createNote(input: $input) { id title readers scope { tenant id } } }',
      { input: { scope, title: 'g' } },
    );
    expect(created.body.data.createNote.scope).toStrictEqual(scope);
    await post({ scope, title: 'h' }, 'owner');
    fixture.deps.loads.count = 0;
    const listed = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount notes { title readers } } }', {
      input: { scope, page: null },
    });
    expect(listed.body.data.notes.notes.length).toBe(2);
    expect(fixture.deps.loads.count).toBe(1);
    const refused = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount } }', { input: { scope } }, 'nobody');
    expect(refused.status).toBe(200);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const conflict = await graphql('mutation($input: CreateNoteInput!) { createNote(input: $input) { id } }', {
      input: { scope, title: 'conflict' },
    });
    expect([conflict.body.errors[0].extensions.code, conflict.body.errors[0].extensions.field]).toStrictEqual(['CONFLICT', 'title']);
    const invalid = await graphql('query { nope }', {});
    expect([invalid.status, invalid.body.errors[0].extensions.code]).toStrictEqual([400, 'BAD_USER_INPUT']);
    const variables = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount } }', { input: 5 });
    expect([variables.status, variables.body.errors[0].extensions.code]).toStrictEqual([200, 'BAD_USER_INPUT']);
  });
});

test('a relation that demands a proof of the session says which, over REST and GraphQL', async () => {
  await post({ scope, title: 'one' }, 'owner');
  const url = `/api/notes?tenant=account&scopeId=${accountId}&relations=readers`;
  const listed = await fixture.app.inject({ url, headers: { authorization: 'Bearer stale' } });
  expect([listed.statusCode, listed.json().code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
  const query = 'query($input: NotesInput!) { notes(input: $input) { notes { title readers } } }';
  const { body } = await graphql(query, { input: { scope } }, 'stale');
  expect(body.errors[0].extensions.code).toBe('FRESH_SIGN_IN_REQUIRED');
  expect(body.data.notes.notes).toStrictEqual([{ title: 'one', readers: null }]);
});

test('each answer of a deprecated operation says since when it is, and from when on it may be gone', async () => {
  const removal = (token: string) =>
    fixture.app.inject({
      method: 'DELETE',
      url: `/api/notes/${accountId}?scopeId=${accountId}&tenant=account`,
      headers: { authorization: `Bearer ${token}` },
    });
  const answers = [await removal('owner'), await removal('nobody'), await removal('unknown')];
  expect(answers.map(({ statusCode }) => statusCode)).toStrictEqual([200, 403, 401]);
  // RFC 9745 section 2 and RFC 8594 section 3.
  for (const { headers } of answers)
    expect([headers['deprecation'], headers['sunset']]).toStrictEqual(['@1767225600', 'Fri, 31 Jul 2026 00:00:00 GMT']);
  const others = await fixture.app.inject({ method: 'GET', url: '/api/notes' });
  expect(others.headers).not.toHaveProperty('deprecation');
});

describe('declarations', () => {
  test('refuse to load when they contradict themselves', () => {
    const declare = defineOperation<NoteDeps>();
    const base = createNote as unknown as Parameters<typeof declare>[0];
    expect(() => declare({ ...base, scopes: 'none' })).toThrow(/a permission needs a scope/);
    expect(() => declare({ ...base, audit: { none: 'forgotten' } })).toThrow(/a mutation needs an audit action/);
    expect(() => declare({ ...base, rest: { method: 'GET', path: '/api/notes' } })).toThrow(/never a GET/);
    const deprecated = { since: '2026-01-01', sunset: '2026-06-29', instead: 'archive the note' };
    expect(() => declare({ ...base, deprecated })).toThrow(/at least 180 days/);
    expect(() => declare({ ...base, deprecated: { ...deprecated, sunset: '1.2.0' } })).toThrow(/YYYY-MM-DD/);
    expect(() => declare({ ...base, deprecated: { since: '2026-01-01', sunset: '2026-07-31', instead: ' ' } })).toThrow(
      /what to use instead/,
    );
  });
});
