import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope } from '@tessera/kernel/scope';
import { decodeJwt } from 'jose';
import { apiKeysOf, type Body } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const { addUser, create, createKey, exchange } = apiKeysOf(() => stack);

describe('creating a key of a project', () => {
  test('createApiKey for a project needs a role', async () => {
    const { status, json } = await create(await stack.project(), { roleId: undefined });
    expect([status, json['code'], json['extensions']?.['field']]).toStrictEqual([400, 'VALIDATION_ERROR', 'roleId']);
  });

  test('createApiKey asks rbac whether the creator may assign the role to a key in the project', async () => {
    const project = await stack.project();
    for (const [verdict, status] of [
      ['above-own-rank', 403],
      ['escalation', 403],
      ['not-found', 404],
      ['allowed', 201],
    ] as const) {
      const roleId = newId();
      stack.peers.verdicts.set(roleId, verdict);
      expect([verdict, (await create(project, { roleId })).status]).toStrictEqual([verdict, status]);
    }
    // A role that exists nowhere.
    expect((await create(project, { roleId: newId() })).status).toBe(404);
    expect(stack.peers.grants.at(-1)?.givenTo).toBe('key');
    expect(stack.peers.grants.at(-1)?.scope).toStrictEqual(project.scope);
  });

  test('createApiKey sends the creator to rbac, for conditions on own keys', async () => {
    const project = await stack.project();
    await create(project);
    const check = stack.peers.checks.findLast(({ action, subject }) => action === 'Create' && subject?.userId === project.userId);
    expect(JSON.parse(check?.targetJson ?? '')).toStrictEqual({ createdBy: project.userId });
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
    test(`createApiKey refuses ${name}`, async () => {
      const { status, json, text } = await create(await stack.project(), body);
      expect([text, status, json['code']]).toStrictEqual([text, 400, 'VALIDATION_ERROR']);
    });
  }

  test('createApiKey is refused without the permission, without a token, and to unverified users in an organization', async () => {
    const project = await stack.project();
    const stranger = await stack.session(newId());
    expect((await create({ ...project, token: stranger })).status).toBe(403);
    expect((await stack.request('POST', '/api/api-keys', { body: {} })).status).toBe(401);
    const unverified = await stack.session(project.userId, { isVerified: false });
    expect((await create({ ...project, token: unverified })).json['code']).toBe('EMAIL_VERIFICATION_REQUIRED');
    const personal = await stack.project('accountProject');
    expect((await create({ ...personal, token: await stack.session(personal.userId, { isVerified: false }) })).status).toBe(201);
  });
});

describe('creating a key of a user', () => {
  test('a user’s own key gives a token with the user’s scope and without a role', async () => {
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
    expect(claims).toStrictEqual(expected);
    expect(Number(exp)).toBeGreaterThan(Number(iat));
  });

  test('a key for another user works only while the creator could assign each of that user’s roles', async () => {
    const project = await stack.project();
    const target = addUser(project, 'allowed');
    const { credentials } = await createKey(project, { scope: target.scope, roleId: undefined });
    const { status, data } = await exchange(credentials);
    expect(status).toBe(200);
    expect(decodeJwt(String(data['accessToken'])).sub).toBe(target.userId);
    // The target rises above the creator: the key that would have risen with it is worth nothing.
    stack.peers.verdicts.set(target.roleId, 'above-own-rank');
    expect((await exchange(credentials)).status).toBe(401);
  });

  test('createApiKey for a user refuses a user with more rights, a user outside the project, and a role', async () => {
    const project = await stack.project();
    for (const verdict of ['escalation', 'above-own-rank', 'not-found']) {
      expect([verdict, (await create(project, { scope: addUser(project, verdict).scope, roleId: undefined })).status]).toStrictEqual([
        verdict,
        403,
      ]);
    }
    const stranger = joinTokenScope(project.scope, newId());
    expect((await create(project, { scope: stranger, roleId: undefined })).status).toBe(404);
    expect((await create(project, { scope: project.userScope })).status).toBe(400);
  });

  test('no API key can create a key for a user', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    const apiToken = String((await exchange(credentials)).data['accessToken']);
    expect((await create({ ...project, token: apiToken }, { scope: project.userScope, roleId: undefined })).status).toBe(403);
  });
});
