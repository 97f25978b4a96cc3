/** What a session by an organization's provider opens: subject × place → reason (decision 23). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

const [granted, own, factor] = ['PERMISSION_GRANTED_NO_CONDITION', 'FRESH_SIGN_IN_REQUIRED', 'SECOND_FACTOR_REQUIRED'];

/** One person, who is a member of both organizations; the first uses a project of the second. */
async function arrange() {
  const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
  const [project, product] = [await stack.makeProject(acme.scope), await stack.makeProject(globex.scope)];
  const place: Scope = { tenant: 'organizationProject', id: `${acme.id}:${product.id.slice(37)}` };
  const ends = { isActive: true, isEnded: false, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
  const grant = { scope: place, grantId: newId(), projectId: product.id.slice(37), ownerOrganizationId: globex.id, ...ends };
  await stack.tell('grant.changed', grant);
  const member = await acme.addMember('Dev');
  await stack.tell('member.added', { organizationId: globex.id, userId: member, roleId: globex.roleId('Admin') });
  const reasonIn = async (userId: string, scope: Scope, more: Partial<wire.Subject>) => {
    const subject = {
      type: 'session',
      userId,
      tokenId: newId(),
      scopes: [],
      acr: 'aal1',
      authTime: Math.floor(Date.now() / 1_000),
      ...more,
    };
    return (await stack.check(userId, scope, 'Role:Query', { subject })).reason;
  };
  const policy = (organizationId: string) =>
    stack.tell('organization.secured', { organizationId, requireSecondFactor: true, maxSessionAgeMinutes: null });
  return { acme, globex, project, product, place, member, reasonIn, policy };
}

describe('a session of a person who was linked without their word', () => {
  test('opens the organization, its projects and what it uses, and nothing elsewhere', async () => {
    const { acme, globex, project, product, place, member, reasonIn } = await arrange();
    const linked = { connection: newId(), within: acme.id };
    for (const scope of [acme.scope, project, place]) expect(await reasonIn(member, scope, linked)).toBe(granted);
    for (const scope of [globex.scope, product]) expect(await reasonIn(member, scope, linked)).toBe(own);
    for (const scope of [globex.scope, product]) expect(await reasonIn(member, scope, { connection: newId() })).toBe(granted);
  });

  test('opens nothing where its organization is not known', async () => {
    const { acme, member, reasonIn } = await arrange();
    expect(await reasonIn(member, acme.scope, { within: '' })).toBe(own);
  });

  test('opens nothing of an Owner’s, also of one who became it later', async () => {
    const { acme, reasonIn, project } = await arrange();
    for (const scope of [acme.scope, project]) expect(await reasonIn(acme.ownerId, scope, { within: acme.id })).toBe(own);
  });
});

describe('a second factor that the provider has asked for', () => {
  test('counts in the organization and its projects, and nowhere else', async () => {
    const { acme, globex, project, product, place, member, reasonIn, policy } = await arrange();
    for (const { id } of [acme, globex]) await policy(id);
    const strong = { connection: newId(), secondFactorIn: acme.id };
    for (const scope of [acme.scope, project]) expect(await reasonIn(member, scope, strong)).toBe(granted);
    // In a project that it uses the owner of the project may have demanded it.
    for (const scope of [globex.scope, product, place]) expect(await reasonIn(member, scope, strong)).toBe(factor);
    for (const scope of [acme.scope, project]) expect(await reasonIn(member, scope, { secondFactorIn: globex.id })).toBe(factor);
  });
});
