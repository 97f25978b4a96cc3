/** Members have to come by the connection (decision 31): subject × place → reason. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

const [granted, required] = ['PERMISSION_GRANTED_NO_CONDITION', 'CONNECTION_REQUIRED'];
const [factor, stale] = ['SECOND_FACTOR_REQUIRED', 'FRESH_SIGN_IN_REQUIRED'];
const seconds = (ago: number) => Math.floor(Date.now() / 1_000) - ago;

async function arrange() {
  const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
  const [project, product] = [await stack.makeProject(acme.scope), await stack.makeProject(globex.scope)];
  const place: Scope = { tenant: 'organizationProject', id: `${acme.id}:${product.id.slice(37)}` };
  const ends = { isActive: true, isEnded: false, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
  const grant = { scope: place, grantId: newId(), projectId: product.id.slice(37), ownerOrganizationId: globex.id, ...ends };
  await stack.tell('grant.changed', grant);
  const [member, admin] = [await acme.addMember('Dev'), await acme.addMember('Admin')];
  const connection = newId();
  const enforce = (connectionIds: string[] = [connection]) =>
    stack.tell('organization.connectionsEnforced', {
      organizationId: acme.id,
      connectionIds,
      breakGlassUserIds: [acme.ownerId, admin],
      since: new Date(seconds(60) * 1_000).toISOString(),
    });
  const as = (userId: string, more: Partial<wire.Subject>) => ({
    userId,
    subject: { type: 'session', userId, tokenId: newId(), scopes: [], ...more },
  });
  const subjects = {
    'a member by the connection': [as(member, { acr: 'aal1', authTime: seconds(5), connection }), granted],
    'a member by a connection of another organization': [as(member, { acr: 'aal1', authTime: seconds(5), connection: newId() }), required],
    'a member by a way of their own': [as(member, { acr: 'aal1', authTime: seconds(5) }), required],
    'a member with a second factor': [as(member, { acr: 'aal2', authTime: seconds(5) }), required],
    'a named Owner with a second factor': [as(acme.ownerId, { acr: 'aal2', authTime: seconds(5) }), granted],
    'a named Owner with a second factor from before': [as(acme.ownerId, { acr: 'aal2', authTime: seconds(120) }), stale],
    'a named Owner with one factor': [as(acme.ownerId, { acr: 'aal1', authTime: seconds(5) }), factor],
    'a named Owner by the connection': [as(acme.ownerId, { acr: 'aal1', authTime: seconds(5), connection }), granted],
    'who was named and is no Owner any more': [as(admin, { acr: 'aal2', authTime: seconds(5) }), required],
    'a question about a member, which is no session': [as(member, {}), granted],
  } as const;
  const reasonIn = async ({ userId, subject }: { readonly userId: string; readonly subject: wire.Subject }, scope: Scope) =>
    (await stack.check(userId, scope, 'Role:Query', { subject })).reason;
  return { acme, places: { organization: acme.scope, project, 'a project that it uses': place }, subjects, enforce, reasonIn, connection };
}

describe('an organization that enforces its connection', () => {
  test('decides by how the session came, in each of its places', async () => {
    const { places, subjects, enforce, reasonIn } = await arrange();
    await enforce();
    for (const [where, scope] of Object.entries(places))
      for (const [who, [subject, reason]] of Object.entries(subjects))
        expect(await reasonIn(subject, scope)).toStrictEqualFor(`${who} in ${where}`, reason);
  });

  test('lets everybody in before, and again once nothing is enforced', async () => {
    const { places, subjects, enforce, reasonIn } = await arrange();
    const all = async () => {
      const found = new Set<string>();
      for (const scope of Object.values(places)) for (const [subject] of Object.values(subjects)) found.add(await reasonIn(subject, scope));
      return [...found];
    };
    expect(await all()).toStrictEqual([granted]);
    await enforce();
    expect(await all()).toContain(required);
    await enforce([]);
    expect(await all()).toStrictEqual([granted]);
  });

  test('asks nothing of who has no membership, but a role in a project', async () => {
    const { acme, places, enforce, reasonIn } = await arrange();
    const userId = newId();
    await stack.tell('user.joined', {
      userId,
      name: 'Ada',
      email: null,
      scope: places.project,
      roleIds: [acme.roleId('Viewer')],
      tagIds: [],
      primaryTagId: null,
      createdBy: null,
    });
    await enforce();
    const subject = { type: 'session', userId, tokenId: newId(), scopes: [], acr: 'aal1', authTime: seconds(5) };
    expect(await reasonIn({ userId, subject }, places.project)).not.toBe(required);
  });

  test('says in the refusal by which connection to come', async () => {
    const { acme, subjects, enforce, connection } = await arrange();
    await enforce();
    const [{ subject }] = subjects['a member by a way of their own'];
    const check = { subject, scope: acme.scope, resource: 'Role', action: 'Query', targetJson: '', noCache: false };
    const { decisions } = await stack.clientOf(0).authorization.isAuthorizedMany({ checks: [check], explain: false });
    expect(decisions).toMatchObject([{ authorized: false, reason: required, connectionId: connection }]);
  });
});
