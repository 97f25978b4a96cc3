import { afterAll, describe, expect, test } from '@jest/globals';
import { openDns } from '../../../../test/support/dns.ts';
import { createLookUp } from './lookup.ts';

const dns = await openDns();
afterAll(() => dns.close());
const lookUp = createLookUp({ servers: [dns.server] });
/** For names of which no answer comes: a busy machine makes no difference to them. */
const impatient = createLookUp({ servers: [dns.server], timeoutMs: 200 });
const challenge = 'tessera-domain=the-right-one';
const others = (count: number) => Array.from({ length: count }, (_, at) => `v=spf1 include:${at}.example.net -all`);

async function look(name: string, ask = lookUp, organizationId = 'one') {
  return ask({ organizationId, domain: `${name}.example.com`, challenge });
}
const recordOf = (name: string) => `_tessera-challenge.${name}.example.com`;

describe('the record of a domain', () => {
  test('is seen wherever it stands among others, and followed where it leads', async () => {
    dns.show(recordOf('alone'), { texts: [challenge] });
    dns.show(recordOf('among'), { texts: [...others(3), challenge, ...others(3)] });
    // By TCP, because the answer is longer than a packet.
    dns.show(recordOf('many'), { texts: [...others(600), challenge] });
    dns.show(recordOf('alias'), { alias: 'elsewhere.example.net' });
    dns.show('elsewhere.example.net', { texts: [challenge] });
    for (const name of ['alone', 'among', 'many', 'alias']) expect(await look(name)).toStrictEqualFor(name, 'seen');
  });

  test('is absent when the name or the record is not there, and when only others are', async () => {
    dns.show(recordOf('empty'), { texts: [] });
    dns.show(recordOf('dangling'), { alias: 'nowhere.example.net' });
    for (const name of ['nothing', 'empty', 'dangling']) expect(await look(name)).toStrictEqualFor(name, 'missing');
    dns.show(recordOf('others'), { texts: others(2) });
    dns.show(recordOf('part'), { texts: [challenge.slice(0, -1), `${challenge}x`, `${'x'.repeat(400)}${challenge}`] });
    for (const name of ['others', 'part']) expect(await look(name)).toStrictEqualFor(name, 'differs');
  });

  test('is unknown, not absent, when the DNS fails', async () => {
    for (const fails of ['SERVFAIL', 'REFUSED', 'silent', 'garbage'] as const) {
      dns.show(recordOf(fails.toLowerCase()), { fails });
      expect(await look(fails.toLowerCase(), impatient)).toStrictEqualFor(fails, 'unknown');
    }
    // Longer than a message can be.
    dns.show(recordOf('huge'), { texts: others(4_000) });
    expect(await look('huge')).toBe('unknown');
    expect(await look('alone', createLookUp({ servers: ['127.0.0.1:1'], timeoutMs: 200 }))).toBe('unknown');
  });

  test('is asked for anew each time', async () => {
    expect(await look('later')).toBe('missing');
    dns.show(recordOf('later'), { texts: [challenge] });
    expect(await look('later')).toBe('seen');
    dns.remove(recordOf('later'));
    expect(await look('later')).toBe('missing');
  });
});

test('silent servers of one organization keep no other one waiting', async () => {
  dns.show(recordOf('slow'), { fails: 'silent' });
  const few = createLookUp({ servers: [dns.server], timeoutMs: 1_000, mostOfOrganization: 2 });
  const slow = ['slow', 'slow', 'slow', 'slow'].map((name) => look(name, few));
  expect(await look('alone', few, 'another')).toBe('seen');
  expect(await Promise.all(slow)).toStrictEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  // Two look-ups, each with a second attempt.
  expect(dns.names.filter((name) => name === recordOf('slow')).length).toBeLessThanOrEqual(4);
});

test('a look-up ends, however long the servers take', async () => {
  const short = createLookUp({ servers: [dns.server], timeoutMs: 60_000, longestMs: 50 });
  expect(await look('slow', short)).toBe('unknown');
});

test('a server that is no address is refused at the start', () => {
  for (const server of ['999.0.2.1:53', '192.0.2.1:99999', 'dns.example.com']) expect(() => createLookUp({ servers: [server] })).toThrow();
});
