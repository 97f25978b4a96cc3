/** What an organization's own identity provider may say of a person, and the membership. */
import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { addMember, readmitMember, removeMember } from '../../storage/members.ts';
import { openTestService } from '../../testing/service.ts';
import { tenancyService } from './tenancy.ts';

const service = await openTestService();
afterAll(() => service.close());

async function ask(name: string, request: object) {
  const handler = tenancyService(service.grpcDeps).handlers[name];
  assert.ok(handler, name);
  const deadline = new Date(Date.now() + 10_000);
  // biome-ignore lint/suspicious/noExplicitAny: each call answers with a message of its own
  return (await handler(request, { caller: 'identity', requestId: newId(), traceparent: undefined, deadline })) as any;
}

async function arrange(status = 'verified') {
  const { owner, organizationId } = await service.createOrganization();
  const domain = `${newId()}.example.net`;
  const claim = `INSERT INTO domains (id, organization_id, domain, status, challenge, created_by) VALUES ($1, $2, $3, $4, $5, $6)`;
  await service.query(claim, [newId(), organizationId, domain, status, newId(), newId()]);
  const userId = newId();
  const request = { organizationId, address: `ada@${domain}`, userId, name: 'Ada', roleId: newId() };
  const members = async () =>
    (await ask('filterPeople', { scope: { tenant: 'organization', id: organizationId }, userIds: [userId] })).userIds;
  return { owner, organizationId, domain, userId, request, members };
}

describe('getAdmission', () => {
  for (const status of ['pending', 'verified', 'failing', 'lost'])
    test(`a domain that is ${status} counts as the rules of domains say`, async () => {
      const { request } = await arrange(status);
      const isDomainProven = status === 'verified' || status === 'failing';
      expect(await ask('getAdmission', request)).toStrictEqual({
        isOpen: true,
        isDomainProven,
        isMember: false,
        hasProvenDomain: isDomainProven,
        hasLeft: false,
        isFull: false,
      });
    });

  test('the domain is that of the whole address, in its one form, and of this organization', async () => {
    const [one, other] = [await arrange(), await arrange()];
    const proves = async (address: string, { organizationId } = one) =>
      (await ask('getAdmission', { organizationId, address, userId: '' })).isDomainProven;
    expect(await proves(`Ada@${one.domain.toUpperCase()}`)).toBe(true);
    const foreign = [`ada@sub.${one.domain}`, `ada@${one.domain}@evil.example`, `ada@${one.domain}.evil.example`, 'ada', '', '@'];
    for (const address of foreign) expect([address, await proves(address)]).toStrictEqual([address, false]);
    expect(await proves(`ada@${one.domain}`, other)).toBe(false);
  });

  test('an organization that is suspended, or does not exist, is closed', async () => {
    const { request } = await arrange();
    await service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, suspended_at) VALUES ($1, 'organization', now())`, [
      request.organizationId,
    ]);
    for (const organizationId of [request.organizationId, newId(), 'none'])
      expect((await ask('getAdmission', { ...request, organizationId })).isOpen).toBe(false);
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'closed' });
  });
});

describe('findDomainOwner', () => {
  test('names who has proven the domain, never who has only claimed or lost it, or is suspended', async () => {
    const one = await arrange();
    const ownerOf = async (address: string) => (await ask('findDomainOwner', { address })).organizationId;
    expect(await ownerOf(`New@${one.domain.toUpperCase()}`)).toBe(one.organizationId);
    for (const address of [`ada@sub.${one.domain}`, `ada@${newId()}.example.net`, 'ada', ''])
      expect([address, await ownerOf(address)]).toStrictEqual([address, undefined]);
    for (const status of ['pending', 'lost']) expect(await ownerOf((await arrange(status)).request.address)).toBeUndefined();
    await service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, suspended_at) VALUES ($1, 'organization', now())`, [
      one.organizationId,
    ]);
    expect(await ownerOf(one.request.address)).toBeUndefined();
  });
});

describe('admitMember', () => {
  test('makes a member with the role, once', async () => {
    const { request, members, userId, organizationId } = await arrange();
    const answers = await Promise.all([ask('admitMember', request), ask('admitMember', request)]);
    expect(answers.map(({ outcome }) => outcome).toSorted()).toStrictEqual(['admitted', 'member']);
    expect(await members()).toStrictEqual([userId]);
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'member' });
    const added = await service.query<{ payload: { roleId: string } }>(
      `SELECT payload FROM outbox WHERE type = 'member.added' AND key = $1`,
      [`${organizationId}:${userId}`],
    );
    expect(added).toHaveLength(1);
  });

  test('a domain that is not proven makes nobody a member', async () => {
    const { request, members } = await arrange('lost');
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'domain' });
    expect(await members()).toStrictEqual([]);
  });

  test('who left or was removed is no member again; an invitation takes them back', async () => {
    const { request, members, userId, organizationId } = await arrange();
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'admitted' });
    await ask('removePerson', { scope: { tenant: 'organization', id: organizationId }, userId, hard: false });
    expect(await ask('getAdmission', request)).toMatchObject({ isMember: false, hasLeft: true });
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'left' });
    expect(await members()).toStrictEqual([]);
    await service.database.transaction((tx) => addMember(tx, organizationId, userId));
    expect(await ask('getAdmission', request)).toMatchObject({ isMember: true, hasLeft: false });
  });

  test('a removal that runs in parallel wins: the admission waits for it', async () => {
    const { request, userId, organizationId } = await arrange();
    await ask('admitMember', request);
    const removed = Promise.withResolvers<void>();
    const removal = service.database.transaction(async (tx) => {
      await removeMember(tx, organizationId, userId);
      removed.resolve();
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
    });
    await removed.promise;
    const admission = service.database.transaction((tx) => readmitMember(tx, organizationId, userId));
    await removal;
    expect(await admission).toBe('left');
  });

  test('the row of the audit log commits with the membership', async () => {
    const { request, organizationId } = await arrange();
    const row = {
      id: newId(),
      at: new Date().toISOString(),
      operation: 'connectionSignIn',
      action: 'connection.member-added',
      outcome: 'ok',
    };
    const auditJson = JSON.stringify({ ...row, scope_tenant: 'organization', scope_id: organizationId, detail: {}, changes: '[]' });
    await ask('admitMember', { ...request, auditJson });
    expect(await service.query('SELECT action FROM audit_log WHERE id = $1', [row.id])).toHaveLength(1);
    await ask('admitMember', { ...request, auditJson: JSON.stringify({ ...JSON.parse(auditJson), id: newId() }) });
    expect(await service.query('SELECT 1 FROM audit_log WHERE scope_id = $1 AND action = $2', [organizationId, row.action])).toHaveLength(
      1,
    );
  });

  test('an organization without room makes nobody a member', async () => {
    const { request, members } = await arrange();
    await service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, most_members) VALUES ($1, 'organization', 1)`, [
      request.organizationId,
    ]);
    expect(await ask('getAdmission', request)).toMatchObject({ isFull: true });
    expect(await ask('admitMember', request)).toStrictEqual({ outcome: 'full' });
    expect(await members()).toStrictEqual([]);
  });
});
