import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { parseScope } from '@tessera/kernel/scope';
import { de } from '../../../identity/src/mail/texts/de.ts';
import { en } from '../../../identity/src/mail/texts/en.ts';
import { findDomain } from '../storage/domains.ts';
import { call } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { createWriteLetters } from './letters.ts';

const service = await openTestService();
afterAll(() => service.close());

test('each Owner gets a mail with the record to publish, all that its texts name', async () => {
  const { owner, organizationId, scope } = await service.createOrganization('Birch');
  const { data } = await call(service, 'rest', 'createDomain', { scope, domain: `${newId()}.example.com` }, owner.token);
  await service.query(`UPDATE domains SET failing_since = '2030-01-01T10:00:00Z' WHERE id = $1`, [data.id]);
  const domain = await service.database.scoped(parseScope(scope), (tx) => findDomain(tx, organizationId, String(data.id)));
  if (domain === undefined) throw new Error('the domain is gone');
  const write = createWriteLetters({
    db: service.database,
    addressesOfOwners: async ({ id }) => (id === organizationId ? ['olga@example.com', 'otto@example.com'] : []),
    appUrl: 'https://id.example.com',
  });
  for (const [letter, template] of [
    ['failing', 'domain-failing'],
    ['reminded', 'domain-failing'],
    ['lost', 'domain-lost'],
  ] as const) {
    const letters = await write(domain, letter);
    expect(letters.map(({ payload }) => payload)).toMatchObject([{ to: 'olga@example.com' }, { to: 'otto@example.com' }]);
    const [first] = letters;
    expect(first?.payload).toMatchObject({
      template,
      data: {
        domain: domain.domain,
        scopeName: 'Birch',
        until: '2030-01-08 10:00 UTC',
        recordName: `_tessera-challenge.${domain.domain}`,
        recordValue: domain.challenge,
        url: `https://id.example.com/console/org/${organizationId}/domains`,
      },
    });
    const given = Object.keys(Object(Object(first?.payload).data));
    for (const texts of [en, de]) {
      const named = [...JSON.stringify(texts.mails[template]).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(named.filter((name) => !given.includes(String(name)))).toStrictEqual([]);
    }
  }
});
