import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { DomainLetter, Sight } from '../domain/domain.ts';
import { call } from '../testing/call.ts';
import { silentLogger } from '../testing/peer-events.ts';
import { openTestService } from '../testing/service.ts';
import { createDomainCheck } from './check.ts';

const service = await openTestService();
afterAll(() => service.close());

const hour = 60 * 60 * 1_000;
type Row = { readonly status: string; readonly told: string | null; readonly verified_at: unknown };

/** Proven domains of one organization, and checks at times of the test's choice. */
async function world(sights: Map<string, Sight> = new Map(), atOnce = 20) {
  const { owner, organizationId, scope } = await service.createOrganization();
  const letters: (readonly [DomainLetter, string])[] = [];
  const looked: string[] = [];
  const logged: string[] = [];
  let now = new Date();
  const options = {
    db: service.database,
    lookUp: async ({ domain, organizationId: of }: { domain: string; organizationId: string }) => {
      // The database is shared with the other tests here.
      if (of === organizationId) looked.push(domain);
      return of === organizationId ? (sights.get(domain) ?? 'seen') : 'unknown';
    },
    writeLetters: async ({ domain, organizationId: of }: { domain: string; organizationId: string }, letter: DomainLetter) => {
      if (of === organizationId) letters.push([letter, domain]);
      if (domain.startsWith('unreachable')) throw new Error('rbac is down in this test');
      return [];
    },
    relay: service.relay,
    logger: { ...silentLogger, error: (_: unknown, message?: string) => void logged.push(String(message)) },
    clock: () => now,
    atOnce,
    lettersAtOnce: 2,
  };
  return {
    scope,
    owner,
    letters,
    looked,
    logged,
    sights,
    newCheck: () => createDomainCheck(options),
    check: createDomainCheck(options),
    later: (hours: number) => {
      now = new Date(now.getTime() + hours * hour);
    },
    async prove(domain = `${newId()}.example.com`): Promise<string> {
      const { data } = await call(service, 'rest', 'createDomain', { scope, domain }, owner.token);
      await service.query(`UPDATE domains SET status = 'verified', verified_at = now(), seen_at = now(), asked_at = now() WHERE id = $1`, [
        data.id,
      ]);
      return domain;
    },
    row: async (domain: string): Promise<Row | undefined> =>
      (await service.query<Row>('SELECT status, told, verified_at FROM domains WHERE domain = $1', [domain]))[0],
  };
}

describe('the daily check', () => {
  test('asks for a verified domain once a day, for a failing one every six hours', async () => {
    const { check, later, looked, sights, prove } = await world();
    const domain = await prove();
    later(23);
    await check.run();
    expect(looked).toStrictEqual([]);
    later(2);
    await check.run();
    await check.run();
    expect(looked).toStrictEqual([domain]);
    sights.set(domain, 'missing');
    later(24);
    await check.run();
    later(5);
    await check.run();
    expect(looked).toHaveLength(2);
    later(2);
    await check.run();
    expect(looked).toHaveLength(3);
  });

  test('tells the Owners when the record is gone, a day before the domain is lost, and when it is, once each', async () => {
    const { check, later, letters, sights, prove, row } = await world();
    const domain = await prove();
    sights.set(domain, 'differs');
    for (let hours = 0; hours < 9 * 24; hours += 12) {
      later(12);
      await check.run();
      await check.run();
    }
    expect(letters).toStrictEqual([
      ['failing', domain],
      ['reminded', domain],
      ['lost', domain],
    ]);
    expect(await row(domain)).toStrictEqual({ status: 'lost', told: 'lost', verified_at: null });
    const actions = await service.query(
      `SELECT action, actor_id, detail->>'name' AS name FROM audit_log WHERE operation = 'checkDomain' AND detail->>'name' = $1 ORDER BY at, id`,
      [domain],
    );
    expect(actions).toStrictEqual(['domain.failing', 'domain.lost'].map((action) => ({ action, actor_id: null, name: domain })));
  });

  test('begins anew when the record is back', async () => {
    const { check, later, letters, sights, prove, row } = await world();
    const domain = await prove();
    for (const sight of ['missing', 'seen', 'missing'] as const) {
      sights.set(domain, sight);
      later(25);
      await check.run();
    }
    expect(letters).toStrictEqual([
      ['failing', domain],
      ['failing', domain],
    ]);
    expect(await row(domain)).toMatchObject({ status: 'failing' });
  });

  test('tells of a record that comes and goes once a day at most', async () => {
    const { check, later, letters, sights, prove } = await world();
    const domain = await prove();
    later(25);
    for (let times = 0; times < 3; times += 1) {
      sights.set(domain, 'missing');
      await check.run();
      sights.set(domain, 'seen');
      later(7);
      await check.run();
      await service.query(`UPDATE domains SET asked_at = asked_at - interval '1 day' WHERE domain = $1`, [domain]);
    }
    expect(letters).toStrictEqual([['failing', domain]]);
    sights.set(domain, 'missing');
    await check.run();
    later(4);
    await check.run();
    expect(letters).toHaveLength(2);
  });

  test('letters that fail keep no others back, and are written again at the next run', async () => {
    const { check, later, letters, sights, prove } = await world();
    const domains: string[] = [];
    for (const name of ['unreachable-1', 'unreachable-2', 'unreachable-3', 'told'])
      domains.push(await prove(`${name}.${newId()}.example.com`));
    for (const domain of domains) sights.set(domain, 'missing');
    later(25);
    await check.run();
    expect(letters.map(([, domain]) => domain).toSorted()).toStrictEqual(domains.toSorted());
    await check.run();
    expect(letters).toHaveLength(7);
  });

  test('takes no domain away while the DNS is out', async () => {
    const { check, later, letters, sights, prove, row } = await world();
    const domain = await prove();
    sights.set(domain, 'unknown');
    for (let days = 0; days < 20; days += 1) {
      later(25);
      await check.run();
    }
    expect([letters, await row(domain)]).toMatchObject([[], { status: 'verified' }]);
  });

  test('asks once, however many replicas run at the same time, and for all in portions', async () => {
    const { check, newCheck, later, looked, prove } = await world(new Map(), 3);
    const domains: string[] = [];
    for (let n = 0; n < 10; n += 1) domains.push(await prove());
    later(25);
    await Promise.all([check.run(), newCheck().run(), newCheck().run()]);
    expect(looked.toSorted()).toStrictEqual(domains.toSorted());
  });

  test('overrules nobody who verified or deleted the domain while it was looked for', async () => {
    const { prove, row } = await world();
    const [verified, deleted] = [await prove(), await prove()];
    const check = createDomainCheck({
      db: service.database,
      lookUp: async ({ domain }) => {
        if (domain === verified) await service.query('UPDATE domains SET checked_at = now() WHERE domain = $1', [domain]);
        if (domain === deleted) await service.query('DELETE FROM domains WHERE domain = $1', [domain]);
        return domain === verified || domain === deleted ? 'missing' : 'unknown';
      },
      writeLetters: async () => [],
      relay: service.relay,
      logger: silentLogger,
      clock: () => new Date(Date.now() + 25 * hour),
    });
    await check.run();
    expect([await row(verified), await row(deleted)]).toMatchObject([{ status: 'verified' }, undefined]);
  });

  test('says so when most records are gone at once: the resolver is the likelier cause', async () => {
    const { check, later, logged, sights, prove } = await world();
    for (let n = 0; n < 6; n += 1) sights.set(await prove(), 'missing');
    // Those of the other tests are asked for before.
    await service.query(`UPDATE domains SET asked_at = now() + interval '1 year' WHERE domain <> ALL($1)`, [[...sights.keys()]]);
    later(25);
    await check.run();
    expect(logged).toStrictEqual([expect.stringContaining('DOMAINS_DNS_SERVERS')]);
  });

  test('tells later when it cannot tell now', async () => {
    const { later, sights, prove, row } = await world();
    const domain = await prove();
    sights.set(domain, 'missing');
    later(25);
    let isOut = true;
    const check = createDomainCheck({
      db: service.database,
      lookUp: async () => 'missing',
      writeLetters: async () => {
        if (isOut) throw new Error('rbac is away');
        return [];
      },
      relay: service.relay,
      logger: silentLogger,
      clock: () => new Date(Date.now() + 26 * hour),
    });
    await check.run();
    expect(await row(domain)).toMatchObject({ status: 'failing', told: null });
    isOut = false;
    await check.run();
    expect(await row(domain)).toMatchObject({ told: 'failing' });
  });
});
