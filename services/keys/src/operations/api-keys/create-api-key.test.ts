import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope } from '@tessera/kernel/scope';
import { decodeJwt } from 'jose';
import { apiKeysOf, type Body } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

const { addUser, create, createKey, exchange } = apiKeysOf(() => stack);

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
    'an expiry on a day that there is not': { expiresAt: '2030-02-30T00:00:00Z' },
    'an expiry after the last year': { expiresAt: '9999-12-31T23:59:59-01:00' },
    'an expiry in a number': { expiresAt: 1893456000 },
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
