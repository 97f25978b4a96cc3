import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from '../postgres/index.ts';
import { defineOperation } from './declaration.ts';
import { accountId, createFixture, createNote, type Fixture, type NoteDeps } from './fixture.ts';

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture.close());
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
  it('identifies: no token and an unknown token are 401 before anything else is looked at', async () => {
    for (const answer of [
      await post({ nonsense: 1 }),
      await post('{', 'forged'),
      await post({ scope, title: 'a' }, undefined, { authorization: 'Basic x' }),
    ]) {
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.json().code, 'UNAUTHENTICATED');
      assert.equal(answer.json().translationKey, 'errors.unauthenticated');
    }
  });

  it('validates: unknown keys, wrong types, missing fields, NUL and deep nesting are 400 and name the field', async () => {
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
      assert.equal(answer.statusCode, 400, JSON.stringify(body));
      assert.equal(answer.json().code, 'VALIDATION_ERROR');
      assert.equal(answer.json().extensions.field, field);
    }
    assert.equal(await count('notes'), 0);
  });

  it('answers invalid JSON and wrong media types as the table of errors says, in both languages', async () => {
    const invalid = await post('{"scope":', 'owner', { 'accept-language': 'de-AT,en;q=0.5' });
    assert.equal(invalid.statusCode, 400);
    assert.equal(invalid.json().code, 'BAD_USER_INPUT');
    assert.match(invalid.json().error, /kein gültiges JSON/);
    const poisoned = await post('{"__proto__":{"x":1}}', 'owner');
    assert.equal(poisoned.statusCode, 400);
    const form = await fixture.app.inject({ method: 'POST', url: '/api/notes', headers: { 'content-type': 'text/plain' }, payload: 'x' });
    assert.deepEqual([form.statusCode, form.json().code], [415, 'BAD_USER_INPUT']);
    const large = await post({ scope, title: 'x'.repeat(1_100_000) }, 'owner');
    assert.deepEqual([large.statusCode, large.json().code], [413, 'BAD_USER_INPUT']);
  });

  it('verifies: an unverified user is stopped in an organization, not in an account, and always for account settings', async () => {
    assert.equal((await post({ scope, title: 'a' }, 'unverified')).statusCode, 201);
    const answer = await post({ scope: { tenant: 'organization', id: accountId }, title: 'a' }, 'unverified');
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'EMAIL_VERIFICATION_REQUIRED']);
    const removal = await fixture.app.inject({
      method: 'DELETE',
      url: `/api/notes/${accountId}?tenant=account&scopeId=${accountId}`,
      headers: { authorization: 'Bearer unverified' },
    });
    assert.equal(removal.json().code, 'EMAIL_VERIFICATION_REQUIRED');
  });

  it('authorizes: 403 without the right, 404 for a missing thing only to those who hold it', async () => {
    assert.equal((await post({ scope, title: 'a' }, 'nobody')).json().code, 'FORBIDDEN');
    const remove = (id: string, token: string) =>
      fixture.app.inject({
        method: 'DELETE',
        url: `/api/notes/${id}?tenant=account&scopeId=${accountId}`,
        headers: { authorization: `Bearer ${token}` },
      });
    const missing = accountId.replace(/1$/, '0');
    assert.equal((await remove(missing, 'owner')).statusCode, 404);
    assert.equal((await remove(missing, 'nobody')).statusCode, 403);
    assert.equal((await remove(accountId, 'owner')).statusCode, 200);
  });

  it('transacts: a failure after the insert leaves no row, no event and no audit of a change', async () => {
    const answer = await post({ scope, title: 'explode' }, 'owner');
    assert.deepEqual([answer.statusCode, answer.json().code], [500, 'INTERNAL_ERROR']);
    assert.doesNotMatch(answer.body, /after the insert/);
    assert.deepEqual([await count('notes'), await count('outbox'), (await auditRows()).length], [0, 0, 0]);
  });

  it('commits row, event and audit together, and delivers the event after the commit', async () => {
    const before = fixture.delivered.length;
    const answer = await post({ scope, title: 'kept' }, 'owner');
    assert.equal(answer.statusCode, 201);
    assert.deepEqual([await count('notes'), await count('outbox')], [1, 3]);
    assert.deepEqual(
      (await auditRows()).map(({ action, outcome }) => [action, outcome]),
      [['note.created', 'ok']],
    );
    assert.equal(fixture.delivered.length, before + 1);
  });

  it('audits refusals', async () => {
    await post({ scope, title: 'a' }, 'nobody');
    assert.deepEqual(await auditRows(), [{ action: 'note.created', outcome: 'refused', code: 'FORBIDDEN' }]);
  });

  it('projects: a column that the output does not declare never leaves', async () => {
    const answer = await post({ scope, title: 'kept' }, 'owner');
    assert.doesNotMatch(answer.body, /hidden|secret/);
    assert.deepEqual(Object.keys(answer.json().data).sort(), ['createdAt', 'deletedAt', 'id', 'title', 'updatedAt']);
  });
});

describe('lists and relations', () => {
  it('reads query parameters by their schema and refuses what does not fit', async () => {
    const list = (query: string) =>
      fixture.app.inject({ url: `/api/notes?tenant=account&scopeId=${accountId}&${query}`, headers: { authorization: 'Bearer owner' } });
    await post({ scope, title: 'one' }, 'owner');
    await post({ scope, title: 'two' }, 'owner');
    fixture.deps.loads.count = 0;
    const page = await list('page=1&limit=1&relations=readers');
    assert.deepEqual([page.json().data.totalCount, page.json().data.hasNextPage], [2, true]);
    assert.deepEqual(page.json().data.items[0].readers, ['reader of one']);
    assert.equal(fixture.deps.loads.count, 1);
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
      'scope=x',
    ]) {
      assert.equal((await list(bad)).statusCode, 400, bad);
    }
  });

  it('serves the same over GraphQL, loads a nested field once for all rows, and maps errors to the same codes', async () => {
    const created = await graphql(
      'mutation($input: CreateNoteInput!) { createNote(input: $input) { id title readers scope { tenant id } } }',
      { input: { scope, title: 'g' } },
    );
    assert.deepEqual(created.body.data.createNote.scope, scope);
    await post({ scope, title: 'h' }, 'owner');
    fixture.deps.loads.count = 0;
    const listed = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount notes { title readers } } }', {
      input: { scope, page: null },
    });
    assert.equal(listed.body.data.notes.notes.length, 2);
    assert.equal(fixture.deps.loads.count, 1);
    const refused = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount } }', { input: { scope } }, 'nobody');
    assert.equal(refused.status, 200);
    assert.equal(refused.body.errors[0].extensions.code, 'FORBIDDEN');
    const conflict = await graphql('mutation($input: CreateNoteInput!) { createNote(input: $input) { id } }', {
      input: { scope, title: 'conflict' },
    });
    assert.deepEqual([conflict.body.errors[0].extensions.code, conflict.body.errors[0].extensions.field], ['CONFLICT', 'title']);
    const invalid = await graphql('query { nope }', {});
    assert.deepEqual([invalid.status, invalid.body.errors[0].extensions.code], [400, 'BAD_USER_INPUT']);
    const variables = await graphql('query($input: NotesInput!) { notes(input: $input) { totalCount } }', { input: 5 });
    assert.deepEqual([variables.status, variables.body.errors[0].extensions.code], [200, 'BAD_USER_INPUT']);
  });
});

describe('declarations', () => {
  it('refuse to load when they contradict themselves', () => {
    const declare = defineOperation<NoteDeps>();
    const base = createNote as unknown as Parameters<typeof declare>[0];
    assert.throws(() => declare({ ...base, scopes: 'none' }), /a permission needs a scope/);
    assert.throws(() => declare({ ...base, audit: { none: 'forgotten' } }), /a mutation needs an audit action/);
    assert.throws(() => declare({ ...base, rest: { method: 'GET', path: '/api/notes' } }), /never a GET/);
  });
});
