/** What a set-up link does with domains: claims, proves and sees its own (decision 37). */
import assert from 'node:assert/strict';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openDns } from '../../../../../test/support/dns.ts';
import { openTestService } from '../../testing/service.ts';
import { tenancyService } from './tenancy.ts';

const dns = await openDns();
const service = await openTestService({ dnsServer: dns.server });
afterAll(async () => {
  await service.close();
  await dns.close();
});

async function ask(name: string, request: object) {
  const handler = tenancyService(service.grpcDeps).handlers[name];
  assert.ok(handler, name);
  const deadline = new Date(Date.now() + 10_000);
  // biome-ignore lint/suspicious/noExplicitAny: each call answers with a message of its own
  return (await handler(request, { caller: 'identity', requestId: newId(), traceparent: undefined, deadline })) as any;
}

function linkOf(organizationId: string) {
  const [linkId, madeBy] = [newId(), newId()];
  const caller = { organizationId, linkId, madeBy, requestId: newId(), ipAddress: '192.0.2.7', userAgent: 'a browser' };
  return {
    linkId,
    madeBy,
    claim: (domain: string) => ask('claimSetUpDomain', { caller, domain }),
    check: (id: string) => ask('checkSetUpDomain', { caller, id }),
    list: async () => (await ask('listSetUpDomains', { organizationId, linkId })).domains,
  };
}
const newDomain = () => `${newId()}.example.net`;

test('a claim is proven by its record, and the log names the link, its maker and the request', async () => {
  const { organizationId } = await service.createOrganization();
  const link = linkOf(organizationId);
  const { id, domain, status, recordName, recordValue } = await link.claim(newDomain().toUpperCase());
  expect([status, recordName]).toStrictEqual(['pending', `_tessera-challenge.${domain}`]);
  expect(await link.check(id)).toMatchObject({ status: 'pending', problem: 'record_missing' });
  dns.show(recordName, { texts: [recordValue] });
  expect(await link.check(id)).toMatchObject({ status: 'verified' });
  const rows = await service.query<{ action: string; actor: string | null; detail: object; ip: string }>(
    'SELECT action, actor_id AS actor, detail, ip_address AS ip FROM audit_log WHERE target_id = $1 ORDER BY at, id',
    [id],
  );
  expect(rows.map(({ action }) => action)).toStrictEqual(['domain.created', 'domain.checked', 'domain.verified']);
  for (const { actor, detail, ip } of rows) {
    expect([actor, ip]).toStrictEqual([null, '192.0.2.7']);
    expect(detail).toMatchObject({ setUpLinkId: link.linkId, setUpLinkMadeBy: link.madeBy });
  }
});

test('a domain that the organization has claimed is shown to the link that names it, and listed to no other', async () => {
  const { organizationId } = await service.createOrganization();
  const [first, second] = [linkOf(organizationId), linkOf(organizationId)];
  const claim = await first.claim(newDomain());
  expect(await second.list()).toStrictEqual([]);
  await expect(second.check(claim.id)).rejects.toMatchObject({ kind: 'not-found' });
  expect((await second.claim(claim.domain)).id).toBe(claim.id);
  expect((await second.list()).map(({ id }: { id: string }) => id)).toStrictEqual([claim.id]);
});

test('a link of another organization sees, checks and takes nothing', async () => {
  const [one, other] = [await service.createOrganization(), await service.createOrganization()];
  const claim = await linkOf(one.organizationId).claim(newDomain());
  const foreign = linkOf(other.organizationId);
  await expect(foreign.check(claim.id)).rejects.toMatchObject({ kind: 'not-found' });
  expect((await foreign.claim(claim.domain)).id).not.toBe(claim.id);
});

test('ten for a link, also when they come at once; what nobody may claim is refused', async () => {
  const { organizationId } = await service.createOrganization();
  const link = linkOf(organizationId);
  const claims = await Promise.allSettled(Array.from({ length: 12 }, () => link.claim(newDomain())));
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await link.list()).toHaveLength(10);
  await expect(linkOf(organizationId).claim('gmail.com')).rejects.toMatchObject({ kind: 'validation' });
  await expect(linkOf(newId()).claim(newDomain())).rejects.toMatchObject({ kind: 'not-found' });
});
