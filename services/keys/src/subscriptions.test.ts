import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { EventPayloads, EventType } from '@tessera/proto/events';
import { decodeJwt } from 'jose';
import { until, waitingForMe } from '../../../test/support/until.ts';
import { apiKeysOf, type Body } from './testing/api-keys.ts';
import { appUrl, signRequest, startTestStack } from './testing/service.ts';

const stack = await startTestStack({ replicas: 2 });
afterAll(() => stack.stop());

async function deliver<Type extends EventType>(type: Type, payload: EventPayloads[Type], id = newId()): Promise<readonly string[]> {
  const { inbox } = stack.client(0, 'tenancy');
  const event = { id, type, key: id, payloadJson: JSON.stringify(payload), occurredAt: new Date().toISOString() };
  const { accepted } = await inbox.deliver({ producer: 'tenancy', events: [event] });
  inbox.close();
  return accepted;
}

/** A project with a key of its own, and its token in use. */
async function inUse(tenant: 'organizationProject' | 'accountProject' = 'organizationProject') {
  const project = await stack.project(tenant);
  const { scope, token, roleId } = project;
  const { data } = await stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'k', roleId } });
  const credentials = { clientId: data['clientId'], clientSecret: data['clientSecret'], scope };
  const exchange = () => stack.request('POST', '/api/auth/token', { body: credentials });
  const apiToken = String((await exchange()).data['accessToken']);
  const use = (replica: number) =>
    stack.request('GET', `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}`, { token: apiToken, replica });
  expect([(await use(0)).status, (await use(1)).status]).toStrictEqual([200, 200]);
  return { ...project, exchange, use };
}

/** The key and its tokens are refused: here at once, elsewhere soon (see test/journeys/faults). */
async function assertEnded({ exchange, use }: Awaited<ReturnType<typeof inUse>>): Promise<void> {
  expect((await use(0)).status).toBe(401);
  expect((await exchange()).status).toBe(401);
  await until(async () => (await use(1)).status === 401);
}

describe('a project that is deleted', () => {
  test('deleting a project ends its API keys, signing keys and tokens, and it never gets keys again', async () => {
    const project = await inUse();
    await deliver('project.deleted', { scope: project.scope, hard: false });
    await assertEnded(project);
    const admin = await stack.database.connect();
    expect((await admin.query('SELECT 1 FROM keys.signing_keys WHERE scope_id = $1', [project.scope.id])).rowCount).toBe(0);
    expect((await stack.request('GET', project.jwksPath)).json).toStrictEqual({ keys: [] });
    // Even while tenancy still says that it exists: the tombstone stands.
    const rotate = await stack.request('POST', '/api/signing-keys/rotate', { token: project.token, body: { scope: project.scope } });
    expect(rotate.status).toBe(404);
  });

  test('a deleted project has no JWKS on any replica', async () => {
    const project = await inUse();
    for (const replica of [0, 1]) expect((await stack.request('GET', project.jwksPath, { replica })).status).toBe(200);
    stack.peers.scopes.delete(`${project.scope.tenant} ${project.scope.id}`);
    await deliver('project.deleted', { scope: project.scope, hard: false });
    expect((await stack.request('GET', project.jwksPath)).status).toBe(404);
    await until(async () => (await stack.request('GET', project.jwksPath, { replica: 1 })).status === 404);
  });

  test('a project.deleted event that is delivered again is accepted and changes nothing', async () => {
    const project = await inUse();
    const id = newId();
    expect(await deliver('project.deleted', { scope: project.scope, hard: false }, id)).toStrictEqual([id]);
    expect(await deliver('project.deleted', { scope: project.scope, hard: false }, id)).toStrictEqual([id]);
    await assertEnded(project);
  });

  test('an API key that is created while its project is deleted is never exchanged, and no later one is created', async () => {
    const { scope, token, roleId } = await stack.project();
    const make = () => stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'late', roleId } });
    const admin = await stack.database.connect();
    // The key is inserted, then waits for its place.
    await admin.query('BEGIN; LOCK TABLE keys.organization_project_api_keys IN SHARE MODE');
    const isWaiting = async () => (await admin.query(waitingForMe)).rows.length > 0;
    const making = make();
    await until(isWaiting);
    const deleted = deliver('project.deleted', { scope, hard: false });
    await sleep(300);
    await admin.query('COMMIT');
    const [{ status, data }] = await Promise.all([making, deleted]);
    expect(status).toBe(201);
    const body = { clientId: data['clientId'], clientSecret: data['clientSecret'], scope };
    expect((await stack.request('POST', '/api/auth/token', { body })).status).toBe(401);
    const { rows } = await admin.query('SELECT 1 FROM keys.api_keys WHERE client_id = $1 AND revoked_at IS NULL', [body.clientId]);
    expect(rows).toStrictEqual([]);
    expect((await make()).status).toBe(403);
  });

  test('a project without keys can be deleted, and gets none later', async () => {
    const project = await stack.project();
    await deliver('project.deleted', { scope: project.scope, hard: true });
    const rotate = await stack.request('POST', '/api/signing-keys/rotate', { token: project.token, body: { scope: project.scope } });
    expect(rotate.status).toBe(404);
  });
});

describe('an organization or account that is deleted', () => {
  test('deleting an organization or account ends the keys of all its projects, also of those that the event does not name', async () => {
    const named = await inUse();
    await deliver('organization.deleted', { organizationId: named.parentId, projectIds: [], hard: false });
    await assertEnded(named);
    const personal = await inUse('accountProject');
    await deliver('account.deleted', { accountId: personal.parentId, projectIds: [personal.projectId], hard: true });
    await assertEnded(personal);
  });
});

describe('a user who leaves or is deleted', () => {
  for (const [name, scopeOf] of [
    ['the organization', ({ parentId }) => ({ tenant: 'organization', id: parentId })],
    ['the project', ({ scope }) => scope],
  ] as const satisfies [string, (project: Awaited<ReturnType<typeof inUse>>) => { tenant: string; id: string }][])
    test(`a user who leaves ${name} loses the keys created there and keeps those elsewhere`, async () => {
      const project = await inUse();
      const other = await inUse();
      await deliver('user.left', { userId: project.userId, scope: scopeOf(project) });
      await assertEnded(project);
      expect((await other.exchange()).status).toBe(200);
    });

  test('all keys of a deleted user end', async () => {
    const project = await inUse();
    await deliver('user.deleted', { userId: project.userId, hard: true });
    await assertEnded(project);
  });
});

describe('revocations', () => {
  test('a pull lists all revocations in force, and the next pull lists the new ones', async () => {
    const { revocations } = stack.client(0, 'rbac');
    const first = await revocations.list({ cursor: '' });
    expect(first.revocations.length).toBeGreaterThan(0);
    const project = await inUse();
    await deliver('project.deleted', { scope: project.scope, hard: false });
    const second = await revocations.list({ cursor: first.cursor });
    // A transaction that is open anywhere on the server holds the cursor back: what was seen may
    // come again, nothing is left out.
    const seen = new Set(first.revocations.map(({ value }) => value));
    expect(second.revocations.flatMap(({ kind, value }) => (seen.has(value) ? [] : [kind])).sort()).toStrictEqual(['jti', 'kid', 'kid']);
    for (const { value } of second.revocations) seen.add(value);
    const third = await revocations.list({ cursor: second.cursor });
    expect(third.revocations.every(({ value }) => seen.has(value))).toBe(true);
    await expect(revocations.list({ cursor: "0' OR '1" })).rejects.toMatchObject({ kind: 'bad-input' });
    revocations.close();
  });

  test('a cursor that is newer than the database lists everything in force', async () => {
    const { revocations } = stack.client(0, 'rbac');
    const project = await inUse();
    await deliver('project.deleted', { scope: project.scope, hard: false });
    const page = await revocations.list({ cursor: '9000000000000000000' });
    expect(page.revocations.map(({ value }) => value).sort()).toStrictEqual(
      (await revocations.list({ cursor: '' })).revocations.map(({ value }) => value).sort(),
    );
    expect(page.revocations.length).toBeGreaterThanOrEqual(3);
    expect(BigInt(page.cursor)).toBeLessThan(9_000_000_000_000_000_000n);
    revocations.close();
  });

  test('the revocations of a transaction that was open at the last pull are listed by the next one', async () => {
    const { revocations } = stack.client(0, 'rbac');
    const late = await stack.database.connect();
    const early = await stack.database.connect();
    const insert = `INSERT INTO keys.revocations (kind, value, before, expires_at) VALUES ('jti', $1, now(), now() + interval '1 hour')`;
    const [slow, quick] = [newId(), newId()];
    await late.query('BEGIN');
    await late.query(insert, [slow]);
    await early.query(insert, [quick]);
    const { cursor } = await revocations.list({ cursor: '' });
    await late.query('COMMIT');
    const values = (await revocations.list({ cursor })).revocations.map(({ value }) => value);
    expect(values).toContain(slow);
    revocations.close();
  });
});

describe('signing for others', () => {
  test('only identity may request signatures', async () => {
    const request = signRequest(newId());
    for (const caller of ['gateway', 'tenancy', 'rbac', 'keys', 'somebody']) {
      const { keys } = stack.client(0, caller);
      expect(await keys.sign(request).catch((error: unknown) => error)).toStrictEqualFor(
        caller,
        expect.objectContaining({ kind: 'forbidden' }),
      );
      expect(await keys.signMany({ requests: [request] }).catch((error: unknown) => error)).toStrictEqualFor(
        caller,
        expect.objectContaining({ kind: 'forbidden' }),
      );
      keys.close();
    }
    const { keys } = stack.client();
    expect((await keys.signMany({ requests: [request, request] })).responses).toHaveLength(2);
    await expect(keys.sign({ ...request, lifetimeSeconds: 86_400 })).rejects.toMatchObject({ kind: 'bad-input' });
    keys.close();
  });
});

describe('a customer of a project', () => {
  /** A project that another organization uses, and an app's token in the customer's scope. */
  async function inGrant() {
    const { scope: owner, projectId, parentId: ownerOrganizationId } = await stack.project();
    const organizationId = newId();
    const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    const grant = {
      scope,
      grantId: newId(),
      projectId,
      ownerOrganizationId,
      roleIds: null,
      allowCustomRoles: true,
      maxMembers: null,
      metadata: {},
    };
    const tell = (state: { isActive: boolean; isEnded?: boolean }) => deliver('grant.changed', { ...grant, isEnded: false, ...state });
    const sub = newId();
    const asked = {
      scope: { tenant: 'organizationProjectUser', id: `${scope.id}:${sub}` },
      scopes: [],
      org_id: organizationId,
      org_slug: 'acme',
    };
    const request = { ...signRequest(sub), scope: owner, type: 'projectApp', audience: 'client', claimsJson: JSON.stringify(asked) };
    const sign = async () => {
      const { keys } = stack.client();
      try {
        return await keys.sign(request);
      } finally {
        keys.close();
      }
    };
    return { owner, organizationId, ownerOrganizationId, scope, tell, sign, request };
  }
  const suspended = { kind: 'forbidden', extensions: { reason: 'grant_suspended' } };
  const ended = { kind: 'forbidden', extensions: { reason: 'grant_ended' } };

  /** As a verifier sees it: the refusals that are listed for this scope. */
  async function refusedScopes() {
    const { revocations } = stack.client(0, 'rbac');
    const { scopes } = await revocations.list({ cursor: '' });
    revocations.close();
    return scopes.map(({ value }) => value);
  }

  test('gets tokens of the project’s issuer while its grant is active', async () => {
    const { sign, tell, scope, owner, organizationId } = await inGrant();
    await expect(sign()).rejects.toMatchObject({ kind: 'forbidden' });
    await tell({ isActive: true });
    const claims = decodeJwt((await sign()).token);
    expect(claims).toMatchObject({ org_id: organizationId, org_slug: 'acme', scope: { id: `${scope.id}:${claims.sub}` } });
    expect(claims.iss).toBe(`${appUrl}/org/${owner.id.replace(':', '/prj/')}`);
    await tell({ isActive: false });
    await expect(sign()).rejects.toMatchObject(suspended);
    expect(await refusedScopes()).toContain(scope.id);
    await tell({ isActive: true });
    await sign();
    await tell({ isActive: false, isEnded: true });
    await expect(sign()).rejects.toMatchObject(ended);
  });

  test('gets none from another owner, and its scope has no issuer or key of its own', async () => {
    const { tell, request, scope } = await inGrant();
    await tell({ isActive: true });
    const { keys } = stack.client();
    const stranger = await stack.project();
    // Another organization that claims the same project.
    const forged = { ...request, scope: { tenant: 'organizationProject', id: `${stranger.parentId}:${scope.id.slice(37)}` } };
    stack.peers.scopes.add(`organizationProject ${forged.scope.id}`);
    await expect(keys.sign(forged)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(keys.sign({ ...request, scope })).rejects.toMatchObject({ kind: 'not-found' });
    await expect(keys.listPublishedKeys({ scope })).rejects.toMatchObject({ kind: 'not-found' });
    keys.close();
    expect((await stack.request('GET', `/org/${scope.id.replace(':', '/prj/')}/.well-known/jwks.json`)).status).toBe(404);
  });

  test('gets none once it, the owner or the project is suspended or deleted, in whatever order that is told', async () => {
    for (const side of ['organizationId', 'ownerOrganizationId'] as const) {
      const grant = await inGrant();
      await grant.tell({ isActive: true });
      const restrict = (isSuspended: boolean) =>
        deliver('tenant.restricted', { scope: { tenant: 'organization', id: grant[side] }, isSuspended, mostApiKeys: null });
      await grant.sign();
      await restrict(true);
      await expect(grant.sign()).rejects.toMatchObject({ kind: 'suspended' });
      expect((await refusedScopes()).includes(grant.scope.id)).toBe(side === 'organizationId');
      await restrict(false);
      await grant.sign();
      await deliver('organization.deleted', { organizationId: grant[side], projectIds: [], hard: false });
      await expect(grant.sign()).rejects.toMatchObject({ kind: side === 'organizationId' ? 'forbidden' : 'not-found' });
      await grant.tell({ isActive: true });
      await expect(grant.sign()).rejects.toMatchObject({ kind: side === 'organizationId' ? 'forbidden' : 'not-found' });
    }
    const grant = await inGrant();
    await grant.tell({ isActive: true });
    await deliver('project.deleted', { scope: grant.owner, hard: false });
    await grant.tell({ isActive: true });
    await expect(grant.sign()).rejects.toMatchObject({ kind: 'not-found' });
  });
});

test('a maker whom the platform has blocked: the tokens of all their keys are refused, and unblocking gives none back', async () => {
  const [project, other] = [await inUse(), await inUse()];
  await deliver('user.restricted', { userId: project.userId, blockedAt: new Date().toISOString() });
  // Whether the key gets another one is rbac's to say: it gives the maker nothing.
  expect((await project.use(0)).status).toBe(401);
  await until(async () => (await project.use(1)).status === 401);
  expect((await other.use(0)).status).toBe(200);
  await deliver('user.restricted', { userId: project.userId, blockedAt: null });
  expect((await project.use(0)).status).toBe(401);
});

describe('a maker who loses a role', () => {
  const shrank = (userIds: string[], id: string, tenant = 'organizationProject') =>
    deliver('rights.shrank', { userIds, scope: { tenant, id } });

  test('refuses the tokens of keys that could not be made now, in that project or organization alone; the keys stay', async () => {
    const [project, other] = [await inUse(), await inUse()];
    const userIds = [project.userId];
    await shrank(userIds, project.scope.id);
    // Nothing was lost that the key needs.
    expect((await project.use(0)).status).toBe(200);
    for (const lost of [project, other]) stack.peers.verdicts.set(lost.roleId, 'above-own-rank');
    await shrank(userIds, other.scope.id);
    await shrank([other.userId], project.scope.id);
    expect([(await project.use(0)).status, (await other.use(0)).status]).toStrictEqual([200, 200]);
    await shrank(userIds, project.parentId, 'organization');
    await assertEnded(project);
    expect((await other.use(0)).status).toBe(200);
    stack.peers.verdicts.set(project.roleId, 'allowed');
    await until(async () => (await project.exchange()).status === 200);
  });

  test('ends the tokens of keys that keys made, and of keys where an organization uses another’s project', async () => {
    const { createKey, exchange, list } = apiKeysOf(() => stack);
    const product = await stack.project();
    const [organizationId = '', projectId = ''] = product.scope.id.split(':');
    const project = await stack.project();
    const used = { ...project, scope: { tenant: 'organizationProject' as const, id: `${project.parentId}:${projectId}` } };
    const terms = { roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
    const grant = { grantId: newId(), projectId, ownerOrganizationId: organizationId, scope: used.scope, ...terms };
    await deliver('grant.changed', { ...grant, isActive: true, isEnded: false });
    const token = async (credentials: Body) => String((await exchange(credentials)).data['accessToken']);
    const parent = await createKey(project);
    const child = await createKey({ ...project, token: await token(parent.credentials) });
    const there = await createKey(used);
    const places = [
      { ...project, token: await token(child.credentials) },
      { ...used, token: await token(there.credentials) },
    ];
    const seen = () => Promise.all(places.map(async (place) => (await list(place)).status));
    expect(await seen()).toStrictEqual([200, 200]);
    stack.peers.verdicts.set(project.roleId, 'above-own-rank');
    expect(await shrank([project.userId], project.parentId, 'organization')).toHaveLength(1);
    expect(await seen()).toStrictEqual([401, 401]);
  });

  test('while rbac cannot be asked nothing is taken: the event comes again', async () => {
    const project = await inUse();
    stack.peers.verdicts.set(project.roleId, 'escalation');
    stack.peers.isRolesDown = true;
    const id = newId();
    const payload = { userIds: [project.userId], scope: { tenant: 'organizationProject', id: project.scope.id } };
    expect(await deliver('rights.shrank', payload, id)).toStrictEqual([]);
    stack.peers.isRolesDown = false;
    expect(await deliver('rights.shrank', payload, id)).toStrictEqual([id]);
    await assertEnded(project);
  });
});
