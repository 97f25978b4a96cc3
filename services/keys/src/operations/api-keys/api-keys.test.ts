import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope } from '@tessera/kernel/scope';
import { decodeJwt } from 'jose';
import { type Json, startTestStack, type TestStack } from '../../testing/stack.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack({ replicas: 2 });
});
after(() => stack.stop());

type Project = Awaited<ReturnType<TestStack['project']>>;
type Body = Record<string, unknown>;

const create = ({ token, scope, roleId }: Project, body: Body = {}) =>
  stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'key', roleId, ...body } });
const exchange = (body: Body, replica = 0) => stack.request('POST', '/api/auth/token', { body, replica });
async function createKey(project: Project, body: Body = {}) {
  const { status, data, text } = await create(project, body);
  assert.equal(status, 201, text);
  const { id, clientId, clientSecret } = data;
  return { id: String(id), credentials: { clientId, clientSecret, scope: body['scope'] ?? project.scope } };
}

/** Another user of the project, with a role. */
function addUser({ scope }: Project, roleVerdict: string) {
  const userId = newId();
  const roleId = newId();
  stack.peers.people.add(`${scope.id} ${userId}`);
  stack.peers.roles.set(`${scope.id} ${userId}`, [roleId]);
  stack.peers.verdicts.set(roleId, roleVerdict);
  return { userId, scope: joinTokenScope(scope, userId), roleId };
}

describe('creating a key of a project', () => {
  it('needs a role', async () => {
    const { status, json } = await create(await stack.project(), { roleId: undefined });
    assert.deepEqual([status, json['code'], json['extensions']?.['field']], [400, 'VALIDATION_ERROR', 'roleId']);
  });

  it('asks rbac whether its creator may give that role to a key there', async () => {
    const project = await stack.project();
    for (const [verdict, status] of [
      ['above-own-rank', 403],
      ['escalation', 403],
      ['not-found', 404],
      ['allowed', 201],
    ] as const) {
      const roleId = newId();
      stack.peers.verdicts.set(roleId, verdict);
      assert.equal((await create(project, { roleId })).status, status, verdict);
    }
    assert.equal((await create(project, { roleId: newId() })).status, 404, 'a role that exists nowhere');
    assert.equal(stack.peers.grants.at(-1)?.givenTo, 'key');
    assert.deepEqual(stack.peers.grants.at(-1)?.scope, project.scope);
  });

  it('tells rbac who would be its creator, for those who may make only their own', async () => {
    const project = await stack.project();
    await create(project);
    const check = stack.peers.checks.findLast(({ action, subject }) => action === 'Create' && subject.userId === project.userId);
    assert.deepEqual(JSON.parse(check?.targetJson ?? ''), { createdBy: project.userId });
  });

  const faults: Record<string, Body> = {
    'an unknown key': { admin: true },
    'a name of nothing': { name: ' ' },
    'a name that is a number': { name: 5 },
    'an expiry in the past': { expiresAt: '2020-01-01T00:00:00.000Z' },
    'an expiry that is no time': { expiresAt: 'tomorrow' },
    'an expiry that is no date': { expiresAt: '2030-13-45T00:00:00Z' },
    'a role that is no id': { roleId: 'Owner' },
    'an account': { scope: { tenant: 'account', id: newId() } },
    'a scope in pieces': { scope: { tenant: 'organizationProject', id: `${newId()}:${newId()}:` } },
    'a user scope without a user': { scope: { tenant: 'organizationProjectUser', id: `${newId()}:${newId()}` } },
    'a secret of one’s own': { clientSecret: 'known' },
  };
  for (const [name, body] of Object.entries(faults)) {
    it(`refuses ${name}`, async () => {
      const { status, json, text } = await create(await stack.project(), body);
      assert.deepEqual([status, json['code']], [400, 'VALIDATION_ERROR'], text);
    });
  }

  it('is refused without the right, without a token, and to the unverified in an organization', async () => {
    const project = await stack.project();
    const stranger = await stack.session(newId());
    assert.equal((await create({ ...project, token: stranger })).status, 403);
    assert.equal((await stack.request('POST', '/api/api-keys', { body: {} })).status, 401);
    const unverified = await stack.session(project.userId, { isVerified: false });
    assert.equal((await create({ ...project, token: unverified })).json['code'], 'EMAIL_VERIFICATION_REQUIRED');
    const personal = await stack.project('accountProject');
    assert.equal((await create({ ...personal, token: await stack.session(personal.userId, { isVerified: false }) })).status, 201);
  });
});

describe('creating a key of a user', () => {
  it('for oneself gives a token with one’s own scope and without a role', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project, { scope: project.userScope, roleId: undefined });
    const { data } = await exchange(credentials);
    const { iat, exp, ...claims } = decodeJwt(String(data['accessToken']));
    const expected = {
      sub: project.userId,
      jti: id,
      iss: project.issuer,
      aud: 'https://iam.test',
      type: 'apiKey',
      scope: project.userScope,
    };
    assert.deepEqual(claims, expected);
    assert.ok(Number(exp) > Number(iat));
  });

  it('for somebody else works only while the creator could give each of that user’s roles', async () => {
    const project = await stack.project();
    const target = addUser(project, 'allowed');
    const { credentials } = await createKey(project, { scope: target.scope, roleId: undefined });
    const { status, data } = await exchange(credentials);
    assert.equal(status, 200);
    assert.equal(decodeJwt(String(data['accessToken'])).sub, target.userId);
    // The target rises above the creator: the key that would have risen with it is worth nothing.
    stack.peers.verdicts.set(target.roleId, 'above-own-rank');
    assert.equal((await exchange(credentials)).status, 401);
  });

  it('refuses a target with more rights, one that does not belong, and a role', async () => {
    const project = await stack.project();
    for (const verdict of ['escalation', 'above-own-rank', 'not-found']) {
      assert.equal((await create(project, { scope: addUser(project, verdict).scope, roleId: undefined })).status, 403, verdict);
    }
    const stranger = joinTokenScope(project.scope, newId());
    assert.equal((await create(project, { scope: stranger, roleId: undefined })).status, 404);
    assert.equal((await create(project, { scope: project.userScope })).status, 400);
  });

  it('is for people: no API key makes a key that can do more than itself', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    const apiToken = String((await exchange(credentials)).data['accessToken']);
    assert.equal((await create({ ...project, token: apiToken }, { scope: project.userScope, roleId: undefined })).status, 403);
  });
});

describe('exchanging', () => {
  it('answers unknown, wrong, revoked, expired, deleted and out-of-scope alike', async () => {
    const project = await stack.project();
    const other = await stack.project();
    const good = await createKey(project);
    const [revoked, deleted, erased, expired] = [
      await createKey(project),
      await createKey(project),
      await createKey(project),
      await createKey(project),
    ];
    const query = `scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
    await stack.request('POST', `/api/api-keys/${revoked.id}/revoke`, { token: project.token, body: { scope: project.scope } });
    await stack.request('DELETE', `/api/api-keys/${deleted.id}?${query}`, { token: project.token });
    await stack.request('DELETE', `/api/api-keys/${erased.id}?${query}&hardDelete=true`, { token: project.token });
    const admin = await stack.admin();
    await admin.query('UPDATE keys.api_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    await admin.end();
    const bad: Record<string, Body> = {
      'an unknown client': { ...good.credentials, clientId: newId() },
      'a client that is no id': { ...good.credentials, clientId: "' OR 1=1 --" },
      'a wrong secret': { ...good.credentials, clientSecret: 'tsk_wrong' },
      'the secret of another key': { ...good.credentials, clientSecret: (await createKey(project)).credentials.clientSecret },
      'a revoked key': revoked.credentials,
      'a deleted key': deleted.credentials,
      'an erased key': erased.credentials,
      'an expired key': expired.credentials,
      'another project': { ...good.credentials, scope: other.scope },
      'one’s own user in the project': { ...good.credentials, scope: project.userScope },
      'another kind of project': { ...good.credentials, scope: { ...project.scope, tenant: 'accountProject' } },
    };
    const bodies = new Set<string>();
    for (const [name, credentials] of Object.entries(bad)) {
      const { status, text, json } = await exchange(credentials);
      assert.deepEqual([status, json['code']], [401, 'UNAUTHENTICATED'], name);
      bodies.add(text);
    }
    assert.equal(bodies.size, 1);
    assert.equal((await exchange(good.credentials)).status, 200);
  });

  it('ends with the project, with the creator’s membership, and with the user’s', async () => {
    for (const end of ['project', 'member'] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      if (end === 'project') stack.peers.scopes.delete(`${project.scope.tenant} ${project.scope.id}`);
      else stack.peers.people.delete(`${project.parentId} ${project.userId}`);
      assert.equal((await exchange(credentials, 1)).status, 401, end);
    }
  });

  it('ends when its creator could no longer make such a key; a role that is gone gives nothing', async () => {
    for (const [verdict, status] of [
      ['above-own-rank', 401],
      ['escalation', 401],
      ['not-found', 200],
    ] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      stack.peers.verdicts.set(project.roleId, verdict);
      assert.equal((await exchange(credentials)).status, status, verdict);
    }
  });

  it('gives a token that ends with its key', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    const { data } = await exchange(credentials);
    assert.ok(Number(data['expiresIn']) <= 60 && Number(data['expiresIn']) >= 58);
  });

  it('is not coerced: a body that is not exactly right is a 400', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    for (const body of [
      {},
      { ...credentials, extra: 1 },
      { ...credentials, clientSecret: 5 },
      { ...credentials, scope: undefined },
      { ...credentials, clientSecret: ['x'] },
    ]) {
      assert.equal((await exchange(body)).json['code'], 'VALIDATION_ERROR');
    }
  });

  it('writes nothing per request, and all of it within a second: lastUsedAt and the audit log', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    await Promise.all(Array.from({ length: 40 }, () => exchange(credentials)));
    const admin = await stack.admin();
    const count = async () =>
      (
        await admin.query(
          `SELECT count(*)::int AS n FROM keys.audit_log WHERE action = 'apiKey.exchanged' AND outcome = 'ok' AND target_id = $1`,
          [id],
        )
      ).rows[0].n;
    for (let tries = 0; (await count()) < 40 && tries < 40; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await count(), 40);
    const { rows } = await admin.query('SELECT last_used_at FROM keys.api_keys WHERE id = $1', [id]);
    assert.ok(rows[0].last_used_at);
    await admin.end();
  });
});

describe('revoking and deleting', () => {
  it('ends issued tokens on this instance at once, and on the other within a second [spec:claims.7]', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const token = String((await exchange(credentials)).data['accessToken']);
      const path = `/api/api-keys?scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
      assert.equal((await stack.request('GET', path, { token, replica: 1 })).status, 200);
      if (end === 'revoke')
        await stack.request('POST', `/api/api-keys/${id}/revoke`, { token: project.token, body: { scope: project.scope } });
      else await stack.request('DELETE', path.replace('?', `/${id}?`), { token: project.token });
      assert.equal((await stack.request('GET', path, { token, replica: 0 })).status, 401);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal((await stack.request('GET', path, { token, replica: 1 })).status, 401);
    }
  });

  it('ends the exchange on this instance at once, and on the other within a second, were it asked just before', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const statuses = async () => [(await exchange(credentials, 0)).status, (await exchange(credentials, 1)).status];
      assert.deepEqual(await statuses(), [200, 200]);
      const scope = `scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
      if (end === 'revoke')
        await stack.request('POST', `/api/api-keys/${id}/revoke`, { token: project.token, body: { scope: project.scope } });
      else await stack.request('DELETE', `/api/api-keys/${id}?${scope}`, { token: project.token });
      assert.equal((await exchange(credentials, 0)).status, 401);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(await statuses(), [401, 401]);
    }
  });

  it('twice changes nothing, and another place’s key is not found', async () => {
    const project = await stack.project();
    const other = await stack.project();
    const { id } = await createKey(project);
    const revoke = (scope: object, token: string) => stack.request('POST', `/api/api-keys/${id}/revoke`, { token, body: { scope } });
    const first = await revoke(project.scope, project.token);
    const second = await revoke(project.scope, project.token);
    assert.deepEqual([second.status, second.data['revokedAt']], [200, first.data['revokedAt']]);
    assert.equal((await revoke(other.scope, other.token)).status, 404);
    assert.equal((await revoke(project.userScope, project.token)).status, 404, 'a project’s key is not one of its user’s');
    const query = `scopeId=${other.scope.id}&tenant=${other.scope.tenant}`;
    assert.equal((await stack.request('DELETE', `/api/api-keys/${id}?${query}`, { token: other.token })).status, 404);
  });

  it('tells rbac who created the key, for those who may touch only their own', async () => {
    const project = await stack.project();
    const { id } = await createKey(project);
    await stack.request('POST', `/api/api-keys/${id}/revoke`, { token: project.token, body: { scope: project.scope } });
    const check = stack.peers.checks.findLast(({ action }) => action === 'Revoke');
    assert.equal(JSON.parse(check?.targetJson ?? '')['createdBy'], project.userId);
  });
});

describe('listing', () => {
  it('shows each place its own keys only, paged, searched and sorted', async () => {
    const project = await stack.project();
    for (const name of ['alpha', 'beta', '100%']) await createKey(project, { name, description: null });
    await createKey(project, { name: 'mine', scope: project.userScope, roleId: undefined });
    const list = async (rest: string, scope: { tenant: string; id: string } = project.scope) => {
      const { data, text } = await stack.request('GET', `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}${rest}`, {
        token: project.token,
      });
      assert.ok(data['items'], text);
      return { names: (data['items'] as unknown as Json[]).map(({ name }) => name), total: data['totalCount'], next: data['hasNextPage'] };
    };
    assert.deepEqual(await list('&sortField=name'), { names: ['100%', 'alpha', 'beta'], total: 3, next: false });
    assert.deepEqual(await list('&sortField=name&sortOrder=desc&limit=1&page=2'), { names: ['alpha'], total: 3, next: true });
    assert.deepEqual(await list('&search=%25'), { names: ['100%'], total: 1, next: false });
    assert.deepEqual(await list('', project.userScope), { names: ['mine'], total: 1, next: false });
  });
});
