import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openDns } from '../../../../../test/support/dns.ts';
import { call, transports } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';

const dns = await openDns();
const service = await openTestService({ dnsServer: dns.server });
afterAll(async () => {
  await service.close();
  dns.close();
});

type Claim = { readonly id: string; readonly challenge: { readonly name: string; readonly value: string } };
const newDomain = () => `${newId()}.example.com`;

async function organization() {
  const { owner, organizationId, scope } = await service.createOrganization();
  const ask = (name: string, input: object = {}, token = owner.token) => call(service, 'rest', name, { scope, ...input }, token);
  const claim = async (domain: string) => (await ask('createDomain', { domain })).data as Claim;
  const verify = async (id: string) => (await ask('verifyDomain', { id })).data;
  return { owner, organizationId, scope, ask, claim, verify };
}
function publish({ challenge: { name, value } }: Claim): void {
  dns.show(name, { texts: ['v=spf1 -all', value] });
}
async function actionsOn(id: string): Promise<readonly unknown[]> {
  const rows = await service.query<{ action: string }>(`SELECT action FROM audit_log WHERE target_id = $1 ORDER BY at, id`, [id]);
  return rows.map(({ action }) => action);
}

describe('a claim', () => {
  test('shows the record that proves it, and is verified once the DNS shows that', async () => {
    const { ask, claim, verify } = await organization();
    const domain = newDomain();
    const made = await ask('createDomain', { domain: domain.toUpperCase() });
    expect(made).toMatchObject({ status: 201, data: { domain, status: 'pending', verifiedAt: null, checkedAt: null, problem: null } });
    const { id, challenge } = made.data as Claim;
    expect(challenge).toStrictEqual({
      name: `_tessera-challenge.${domain}`,
      value: expect.stringMatching(/^tessera-domain=[\w-]{43}$/),
    });
    expect(await verify(id)).toMatchObject({ status: 'pending', problem: 'record_missing', verifiedAt: null });
    dns.show(challenge.name, { texts: ['something else'] });
    expect(await verify(id)).toMatchObject({ status: 'pending', problem: 'record_differs' });
    dns.show(challenge.name, { fails: 'SERVFAIL' });
    expect(await verify(id)).toMatchObject({ status: 'pending', problem: 'dns_failed' });
    publish({ id, challenge });
    const verified = await verify(id);
    expect(verified).toMatchObject({ status: 'verified', problem: null, failingSince: null });
    expect(verified['verifiedAt']).toBe(verified['checkedAt']);
    expect((await ask('getDomain', { id })).data).toStrictEqual(verified);
    expect((await ask('listDomains')).data).toMatchObject({ totalCount: 1, items: [verified] });
    expect(await actionsOn(id)).toStrictEqual(['domain.created', 'domain.checked', 'domain.checked', 'domain.checked', 'domain.verified']);
    // A second one of the same organization has a record of its own.
    expect((await claim(`lab.${domain}`)).challenge.value).not.toBe(challenge.value);
  });

  test('is made once by an organization, and by each organization that likes', async () => {
    const [one, other] = [await organization(), await organization()];
    const domain = newDomain();
    await one.claim(domain);
    expect(await one.ask('createDomain', { domain: `${domain}.` })).toMatchObject({ code: 'CONFLICT', key: 'errors.domain.exists' });
    expect((await other.ask('createDomain', { domain })).status).toBe(201);
    const many = await Promise.all(Array.from({ length: 4 }, () => one.ask('createDomain', { domain: `a.${domain}` })));
    expect(many.map(({ status }) => status).toSorted()).toStrictEqual([201, 409, 409, 409]);
  });

  test('of a name that nobody can have alone is refused, and says what to write', async () => {
    const { ask } = await organization();
    for (const domain of ['gmail.com', 'co.uk', '192.0.2.1', 'ada@example.com', 'localhost'])
      expect(await ask('createDomain', { domain })).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'domain' });
  });

  test('is one of fifty at most, also when they come at once', async () => {
    const { organizationId, owner, ask } = await organization();
    await service.query(
      `INSERT INTO domains (id, organization_id, domain, challenge, created_by)
       SELECT gen_random_uuid(), $1, n || '.example.org', 'x', $2 FROM generate_series(1, 48) AS n`,
      [organizationId, owner.id],
    );
    const more = await Promise.all(Array.from({ length: 5 }, () => ask('createDomain', { domain: newDomain() })));
    expect(more.map(({ status }) => status).toSorted()).toStrictEqual([201, 201, 409, 409, 409]);
    expect(more.find(({ status }) => status === 409)?.key).toBe('errors.domain.tooMany');
  });
});

describe('a proof', () => {
  test('belongs to one organization: a second one that could prove the domain stays pending', async () => {
    const [one, other] = [await organization(), await organization()];
    const domain = newDomain();
    const [first, second] = [await one.claim(domain), await other.claim(domain)];
    dns.show(first.challenge.name, { texts: [first.challenge.value] });
    expect(await one.verify(first.id)).toMatchObject({ status: 'verified' });
    // Without its own record, nothing says that another organization has the domain.
    expect(await other.verify(second.id)).toMatchObject({ status: 'pending', problem: 'record_differs' });
    dns.show(first.challenge.name, { texts: [first.challenge.value, second.challenge.value] });
    expect(await other.verify(second.id)).toMatchObject({ status: 'pending', problem: 'claimed_elsewhere', verifiedAt: null });
    await one.ask('deleteDomain', { id: first.id });
    expect(await other.verify(second.id)).toMatchObject({ status: 'verified', problem: null });
  });

  test('is given to one of two organizations that verify at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sides = [await organization(), await organization(), await organization()];
      const domain = newDomain();
      const claims = await Promise.all(sides.map(({ claim }) => claim(domain)));
      dns.show(`_tessera-challenge.${domain}`, { texts: claims.map(({ challenge }) => challenge.value) });
      const answers = await Promise.all(sides.map(({ verify }, at) => verify(String(claims[at]?.id))));
      expect(answers.map(({ status }) => status).toSorted()).toStrictEqual(['pending', 'pending', 'verified']);
      const [row] = await service.query(
        `SELECT count(*)::int AS count FROM domains WHERE domain = $1 AND status IN ('verified', 'failing')`,
        [domain],
      );
      expect(row).toStrictEqual({ count: 1 });
    }
  });

  test('is kept by the database, whatever the code does', async () => {
    const [one, other] = [await organization(), await organization()];
    const domain = newDomain();
    const [first, second] = [await one.claim(domain), await other.claim(domain)];
    const prove = (id: string, status: string) => service.query(`UPDATE domains SET status = '${status}' WHERE id = $1`, [id]);
    await prove(first.id, 'failing');
    await expect(prove(second.id, 'verified')).rejects.toThrow(/domains_proven/);
    await prove(first.id, 'lost');
    await prove(second.id, 'verified');
  });

  test('of a domain is none of its subdomain, and none under another name', async () => {
    const { claim, verify } = await organization();
    const domain = newDomain();
    const [above, below] = [await claim(domain), await claim(`lab.${domain}`)];
    publish(above);
    await verify(above.id);
    expect(await verify(below.id)).toMatchObject({ status: 'pending' });
    // A wildcard shows one claim's value everywhere, and proves that claim's domain only.
    dns.show(`*.lab.${domain}`, { texts: [above.challenge.value] });
    expect(await verify(below.id)).toMatchObject({ status: 'pending', problem: 'record_differs' });
  });

  test('is asked for again: gone, the domain fails; back, it is proven since before', async () => {
    const { claim, verify } = await organization();
    const made = await claim(newDomain());
    publish(made);
    const proven = await verify(made.id);
    dns.show(made.challenge.name, { fails: 'REFUSED' });
    expect(await verify(made.id)).toMatchObject({ status: 'verified', problem: 'dns_failed' });
    dns.remove(made.challenge.name);
    const failing = await verify(made.id);
    expect(failing).toMatchObject({ status: 'failing', problem: 'record_missing', verifiedAt: proven['verifiedAt'] });
    const week = 7 * 24 * 60 * 60 * 1_000;
    expect(Date.parse(String(failing['lostAt'])) - Date.parse(String(failing['failingSince']))).toBe(week);
    publish(made);
    expect(await verify(made.id)).toMatchObject({ status: 'verified', failingSince: null, lostAt: null, verifiedAt: proven['verifiedAt'] });
    expect((await actionsOn(made.id)).slice(1)).toStrictEqual(['domain.verified', 'domain.checked', 'domain.failing', 'domain.verified']);
  });

  test('is looked for by the daily check when it is due, however often the DNS said nothing before', async () => {
    const { claim, verify } = await organization();
    const made = await claim(newDomain());
    publish(made);
    await verify(made.id);
    const times = () => service.query('SELECT asked_at, checked_at FROM domains WHERE id = $1', [made.id]);
    const before = await times();
    dns.show(made.challenge.name, { fails: 'SERVFAIL' });
    expect(await verify(made.id)).toMatchObject({ status: 'verified', problem: 'dns_failed' });
    expect(await times()).toStrictEqual(before);
  });

  test('ends with the domain: claimed again it has another record', async () => {
    const { ask, claim, verify } = await organization();
    const domain = newDomain();
    const made = await claim(domain);
    publish(made);
    await verify(made.id);
    const deleted = await ask('deleteDomain', { id: made.id });
    expect(deleted.data).toMatchObject({ id: made.id, deletedAt: expect.any(String) });
    for (const name of ['getDomain', 'verifyDomain', 'deleteDomain'])
      expect((await ask(name, { id: made.id })).code).toStrictEqualFor(name, 'NOT_FOUND');
    expect(await verify((await claim(domain)).id)).toMatchObject({ status: 'pending', problem: 'record_differs' });
  });

  test('ends with the organization, and is kept while it is suspended', async () => {
    const [one, other] = [await organization(), await organization()];
    const domain = newDomain();
    const [first, second] = [await one.claim(domain), await other.claim(domain)];
    dns.show(first.challenge.name, { texts: [first.challenge.value, second.challenge.value] });
    await one.verify(first.id);
    await service.query(`INSERT INTO tenant_restrictions (tenant_id, tenant, suspended_at) VALUES ($1, 'organization', now())`, [
      one.organizationId,
    ]);
    expect(await other.verify(second.id)).toMatchObject({ status: 'pending', problem: 'claimed_elsewhere' });
    await service.query(`DELETE FROM tenant_restrictions WHERE tenant_id = $1`, [one.organizationId]);
    expect((await one.ask('deleteOrganization', { id: one.organizationId })).status).toBe(200);
    expect(await other.verify(second.id)).toMatchObject({ status: 'verified' });
  });
});

test('a domain is nothing to another organization, to Devs and to Viewers', async () => {
  const [one, other] = [await organization(), await organization()];
  const { id } = await one.claim(newDomain());
  const [dev, viewer] = [await service.addMember(one.organizationId, 'Dev'), await service.addMember(one.organizationId, 'Viewer')];
  for (const transport of transports)
    for (const name of ['getDomain', 'verifyDomain', 'deleteDomain']) {
      expect((await call(service, transport, name, { scope: other.scope, id }, other.owner.token)).code).toBe('NOT_FOUND');
      for (const { token } of [dev, viewer, other.owner])
        expect((await call(service, transport, name, { scope: one.scope, id }, token)).code).toBe('FORBIDDEN');
    }
  const admin = await service.addMember(one.organizationId, 'Admin');
  expect((await one.ask('verifyDomain', { id }, admin.token)).status).toBe(200);
});
