/** An organization that a person makes on the way to an app: whole, once, and so many a day. */
import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { asAppError } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { call } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';
import { tenancyService } from '../../transport/grpc/tenancy.ts';

const service = await openTestService({ invitations: { mostPerDay: 5, mostPerAddress: 3 } });
afterAll(() => service.close());

type Asked = Readonly<Record<string, unknown>>;

async function ask(name: string, request: object) {
  const handler = tenancyService(service.grpcDeps).handlers[name];
  assert.ok(handler, name);
  const called = { caller: 'identity', requestId: newId(), traceparent: undefined, deadline: new Date(Date.now() + 10_000) };
  // biome-ignore lint/suspicious/noExplicitAny: each call answers with a message of its own
  return (await handler(request, called)) as any;
}

async function world() {
  const globex = await service.createOrganization('Globex');
  const { data } = await call(service, 'rest', 'createProject', { scope: globex.scope, name: 'Billing' }, globex.owner.token);
  const project = { tenant: 'organizationProject', id: `${globex.organizationId}:${data.id}` };
  const person = await service.register('Petra Person', 'personal');
  const facts = { appId: newId(), requestId: newId(), ipAddress: '203.0.113.9', userAgent: 'browser', language: 'en' };
  const wanted = { userId: person.id, userName: 'Petra Person', email: person.email, project, name: 'Acme', ...facts };
  const signUp = (changes: Asked = {}) => ask('signUpOrganization', { ...wanted, ...changes });
  const refusal = (changes: Asked = {}) =>
    signUp(changes).then(
      () => 'made',
      (error: unknown) => asAppError(error).kind,
    );
  const places = (userId = person.id) => ask('listPlaces', { userId, project, organizationId: '' });
  const organizations = (userId = person.id) =>
    service.query<{ id: string }>('SELECT id FROM organizations WHERE created_by = $1 AND deleted_at IS NULL', [userId]);
  const scopeOf = (id: string) => ({ tenant: 'organization', id }) as const;
  const suspend = (id: string, tenant = 'organization') =>
    service.query('INSERT INTO tenant_restrictions (tenant_id, tenant, suspended_at) VALUES ($1, $2, now())', [id, tenant]);
  return { globex, project, projectId: String(data.id), person, signUp, refusal, places, organizations, scopeOf, suspend };
}

const ofType = (type: string) => service.rbac.received.filter((event) => event.type === type).map(({ payload }) => payload);

describe('an organization made at a sign-in', () => {
  test('has the person as its Owner and an active grant on the terms of an offer that names none', async () => {
    const { globex, projectId, person, signUp, places, organizations } = await world();
    expect(await places()).toMatchObject({ customers: [], canSignUp: true, isGranted: false });
    const { organization, isMade } = await signUp();
    const { organizationId: id } = organization;
    expect([isMade, organization.name]).toStrictEqual([true, 'Acme']);
    expect(await organizations()).toStrictEqual([{ id }]);
    expect(await places()).toMatchObject({ customers: [organization], canSignUp: false, isGranted: true });
    expect(ofType('organization.created').at(-1)).toStrictEqual({ organizationId: id, ownerId: person.id });
    expect(ofType('grant.changed').at(-1)).toMatchObject({
      scope: { tenant: 'organizationProject', id: `${id}:${projectId}` },
      ownerOrganizationId: globex.organizationId,
      isActive: true,
      isEnded: false,
      roleIds: null,
      allowCustomRoles: true,
      maxMembers: null,
      metadata: {},
    });
    expect(ofType('owners.told').at(-1)).toMatchObject({
      organizationId: globex.organizationId,
      template: 'grant-signed-up',
      data: { projectName: 'Billing', organizationName: 'Globex', customerName: 'Acme' },
    });
    const { data } = await call(service, 'rest', 'listProjectGrants', { scope: { tenant: 'organization', id } }, person.token);
    expect(data.items).toMatchObject([{ status: 'active', organizationId: id }]);
  });

  test('stands in both logs, with the person, address and program in its own alone', async () => {
    const { project, person, signUp } = await world();
    const { organizationId: id } = (await signUp()).organization;
    const rows = await service.query<Asked>(
      `SELECT action, scope_id, actor_id, ip_address::text AS address, user_agent FROM audit_log
       WHERE scope_id = ANY ($1) AND action IN ('organization.created', 'grant.accepted') ORDER BY scope_id = $2, action`,
      [[id, project.id], project.id],
    );
    const own = { scope_id: id, actor_id: person.id, address: '203.0.113.9', user_agent: 'browser' };
    expect(rows).toStrictEqual([
      { action: 'grant.accepted', ...own },
      { action: 'organization.created', ...own },
      { action: 'grant.accepted', scope_id: project.id, actor_id: null, address: '', user_agent: '' },
    ]);
  });

  test('is one, whatever is pressed twice, opened twice or asked again', async () => {
    const { projectId, signUp, refusal, organizations } = await world();
    const made = await Promise.all(Array.from({ length: 8 }, () => signUp()));
    const again = await signUp();
    expect(made.filter(({ isMade }) => isMade).length).toBe(1);
    expect(again.isMade).toBe(false);
    expect(new Set([...made, again].map(({ organization }) => organization.organizationId)).size).toBe(1);
    // Another name is another organization, of which there is none beside the first.
    expect(await refusal({ name: 'Birch' })).toBe('conflict');
    expect((await organizations()).length).toBe(1);
    const grants = await service.query('SELECT status FROM project_grants WHERE project_id = $1', [projectId]);
    expect(grants).toStrictEqual([{ status: 'active' }]);
  });

  test('is one of two names that are sent at the same time', async () => {
    const { refusal, organizations } = await world();
    const answers = await Promise.all([refusal({ name: 'Acme' }), refusal({ name: 'Birch' })]);
    expect([answers.toSorted(), (await organizations()).length]).toStrictEqual([['conflict', 'made'], 1]);
  });

  test('is none when one step fails', async () => {
    const { projectId, refusal, organizations, person } = await world();
    await service.query('UPDATE projects SET deleted_at = now() WHERE id = $1', [projectId]);
    expect([await refusal(), await organizations()]).toStrictEqual(['not-found', []]);
    const [counted] = await service.query('SELECT count FROM invitation_counts WHERE sender_id = $1', [person.id]);
    expect(counted).toBeUndefined();
  });
});

test('the Owners of a product hear of twenty sign-ups in a day', async () => {
  const { globex, projectId, signUp } = await world();
  const told = () =>
    service.rbac.received.filter(({ type, payload }) => type === 'owners.told' && payload['organizationId'] === globex.organizationId)
      .length;
  await signUp();
  const day = [projectId, 'sign-ups'];
  await service.query('UPDATE invitation_counts SET count = 19 WHERE sender_id = $1 AND address = $2', day);
  for (const name of ['One', 'Two', 'Three']) {
    const person = await service.register(`${name} Person`, 'personal');
    expect((await signUp({ userId: person.id, email: person.email, name })).isMade).toBe(true);
  }
  expect(told()).toBe(2);
  await service.query(`UPDATE invitation_counts SET since = since - interval '1 day' WHERE sender_id = $1 AND address = $2`, day);
  const person = await service.register('Next Person', 'personal');
  await signUp({ userId: person.id, email: person.email, name: 'Next' });
  expect(told()).toBe(3);
});

describe('who may not make one', () => {
  test('a member of an organization that uses the project, whether or not it is suspended there', async () => {
    const { project, globex, signUp, refusal, places, scopeOf } = await world();
    const { organizationId: id } = (await signUp()).organization;
    const member = await service.register('Mia Member', 'personal');
    await service.join(member, scopeOf(id), 'Mia Member');
    const asMember = { userId: member.id, email: member.email };
    // Not even by the same name: the other person has made it.
    expect([await refusal(asMember), await refusal({ ...asMember, name: 'Birch' })]).toStrictEqual(['conflict', 'conflict']);
    const [grant] = await service.query<Asked>('SELECT id FROM project_grants WHERE organization_id = $1', [id]);
    await call(service, 'rest', 'suspendProjectGrant', { scope: project, id: grant?.['id'] }, globex.owner.token);
    expect(await places()).toMatchObject({ customers: [], canSignUp: false });
    expect([await refusal(), await refusal({ name: 'Birch' }), await refusal(asMember)]).toStrictEqual([
      'conflict',
      'conflict',
      'conflict',
    ]);
  });

  test.each([
    ['suspended, also after the organization is deleted', 'suspendProjectGrant'],
    ['ended', 'endProjectGrant'],
  ])('a person whose customer the owner has %s', async (_, move) => {
    const { project, globex, person, signUp, refusal, places, scopeOf } = await world();
    const { organizationId: id } = (await signUp()).organization;
    const [grant] = await service.query<Asked>('SELECT id FROM project_grants WHERE organization_id = $1', [id]);
    await call(service, 'rest', move, { scope: project, id: grant?.['id'] }, globex.owner.token);
    const deleted = await call(service, 'rest', 'deleteOrganization', { scope: scopeOf(id), id, hardDelete: true }, person.token);
    expect(deleted.status).toStrictEqualFor(deleted, 200);
    expect([(await places()).canSignUp, await refusal(), await refusal({ name: 'Birch' })]).toStrictEqual([
      false,
      'forbidden',
      'forbidden',
    ]);
    // Another person may, and this one elsewhere.
    const other = await world();
    const elsewhere = { userId: person.id, email: person.email };
    expect(await other.refusal(elsewhere)).toBe('made');
    const newcomer = await service.register('Nora Newcomer', 'personal');
    expect(await refusal({ userId: newcomer.id, email: newcomer.email })).toBe('made');
    // Nothing stays of a person who is deleted.
    await service.deliverEvent('user.deleted', { userId: person.id, hard: true });
    expect(await service.query('SELECT 1 FROM barred_sign_ups WHERE user_id = $1', [person.id])).toStrictEqual([]);
  });

  test('a person who left while suspended; who was resumed and left may', async () => {
    const { project, globex, signUp, refusal, places } = await world();
    const { organizationId: id } = (await signUp()).organization;
    const [grant] = await service.query<Asked>('SELECT id FROM project_grants WHERE organization_id = $1', [id]);
    const move = (name: string) => call(service, 'rest', name, { scope: project, id: grant?.['id'] }, globex.owner.token);
    const leave = () => service.query(`UPDATE project_grants SET status = 'ended' WHERE id = $1`, [grant?.['id']]);
    await move('suspendProjectGrant');
    await leave();
    expect([(await places()).canSignUp, await refusal()]).toStrictEqual([false, 'forbidden']);
    await service.query(`UPDATE project_grants SET status = 'suspended' WHERE id = $1`, [grant?.['id']]);
    expect((await move('resumeProjectGrant')).status).toBe(200);
    await leave();
    expect([(await places()).canSignUp, await refusal({ name: 'Birch' })]).toStrictEqual([true, 'made']);
  });

  test('who made a customer that was ended, or came as its invited Owner; after an offer that was withdrawn they may', async () => {
    const { project, projectId, globex, person, refusal, places } = await world();
    const acme = await service.createOrganization('Acme');
    const offered = await call(
      service,
      'rest',
      'createProjectGrant',
      { scope: project, organizationId: acme.organizationId },
      globex.owner.token,
    );
    const end = () => call(service, 'rest', 'endProjectGrant', { scope: project, id: offered.data.id }, globex.owner.token);
    const asOwner = { userId: acme.owner.id, email: acme.owner.email };
    await end();
    expect((await places(acme.owner.id)).canSignUp).toBe(true);
    await service.query(
      `INSERT INTO organization_invitations
         (id, organization_id, email, role_id, status, token_hash, invited_by, expires_at, accepted_by, accepted_at)
       VALUES ($1, $2, $3, $4, 'accepted', 'hash', $5, now(), $6, now())`,
      [newId(), acme.organizationId, person.email, ownerRoleId(acme.organizationId), acme.owner.id, person.id],
    );
    await service.query(`UPDATE project_grants SET status = 'active', accepted_at = now(), ended_at = null WHERE project_id = $1`, [
      projectId,
    ]);
    await end();
    expect([await refusal(), await refusal(asOwner), (await places()).canSignUp]).toStrictEqual(['forbidden', 'forbidden', false]);
  });

  test('a person of the project itself', async () => {
    const { globex, places } = await world();
    expect(await places(globex.owner.id)).toMatchObject({ isHere: true, canSignUp: false });
  });

  test('anybody while the operator has suspended the owner of the project, or an account of theirs', async () => {
    const { globex, person, refusal, places, suspend, organizations } = await world();
    await suspend(globex.organizationId);
    expect([await refusal(), (await places()).canSignUp]).toStrictEqual(['suspended', false]);
    await service.query('DELETE FROM tenant_restrictions WHERE tenant_id = $1', [globex.organizationId]);
    await suspend(person.accountId, 'account');
    expect([await refusal(), await organizations()]).toStrictEqual(['suspended', []]);
  });

  test('a person who is gone, and nobody in the project of an account', async () => {
    const { person, refusal, organizations } = await world();
    const ofAccount = { tenant: 'accountProject', id: `${person.accountId}:${newId()}` };
    expect(await refusal({ project: ofAccount })).toBe('validation');
    await service.deliverEvent('user.deleted', { userId: person.id, hard: false });
    expect([await refusal(), await organizations()]).toStrictEqual(['forbidden', []]);
  });

  test('one person again and again, although each is deleted', async () => {
    const { person, signUp, refusal, scopeOf } = await world();
    for (const name of ['One', 'Two', 'Three']) {
      const { organizationId: id } = (await signUp({ name })).organization;
      const deleted = await call(service, 'rest', 'deleteOrganization', { scope: scopeOf(id), id, hardDelete: true }, person.token);
      expect(deleted.status).toStrictEqualFor(deleted, 200);
    }
    expect(await refusal({ name: 'Four' })).toBe('rate-limited');
    const other = await world();
    const elsewhere = { userId: person.id, email: person.email };
    expect([await other.refusal({ ...elsewhere, name: 'Five' })]).toStrictEqual(['made']);
    const third = await world();
    expect(await third.refusal({ ...elsewhere, name: 'Six' })).toBe('made');
    const fourth = await world();
    expect(await fourth.refusal({ ...elsewhere, name: 'Seven' })).toBe('rate-limited');
  });
});
