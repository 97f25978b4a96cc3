/** Domains in the console: added, proven by a DNS server of the test, lost sight of, deleted. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack } from '../../support/browser/journey.ts';
import { choose, look, memberOf, pathOf, team, visit } from '../../support/console/start.ts';
import { sharedDns } from '../../support/shared-stack.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('an Owner adds a domain, publishes its record, proves it, is told that it is gone, and deletes it', async () => {
  const { owner, organization } = await team();
  const { page, complaints } = await visit(owner, pathOf(organization, 'domains'));
  await heading(page, 'Domains');
  await page.getByText('No domains yet').waitFor();
  await look(page, 'domains-none');

  await press(page, 'Add a domain');
  const form = page.getByRole('dialog', { name: 'Add a domain' });
  await form.getByLabel('Domain').fill('gmail.com');
  await form.getByRole('button', { name: 'Add a domain' }).click();
  await form.getByText(/belongs to a mail provider/).waitFor();
  await look(page, 'domain-refused');
  await form.getByLabel('Domain').fill('Birch.Example.com');
  await form.getByRole('button', { name: 'Add a domain' }).click();

  const record = page.getByRole('dialog', { name: 'birch.example.com' });
  await record.getByRole('button', { name: 'Verify', exact: true }).waitFor();
  const [, name = '', value = ''] = await record.locator('code').allInnerTexts();
  expect([name, value]).toStrictEqual(['_tessera-challenge.birch.example.com', expect.stringMatching(/^tessera-domain=/)]);
  const verify = record.getByRole('button', { name: 'Verify', exact: true });
  await verify.click();
  await record.getByText('There is no TXT record of this name.').waitFor();
  await look(page, 'domain-record');
  const dns = sharedDns();
  dns.show(name, { fails: 'SERVFAIL' });
  await verify.click();
  await record.getByText('The DNS could not be asked').waitFor();
  dns.show(name, { texts: [value] });
  await verify.click();
  await record.getByText('birch.example.com is verified.').waitFor();
  await look(page, 'domain-verified');

  dns.remove(name);
  await record.getByRole('button', { name: 'Check again' }).click();
  await record.getByText('The record of birch.example.com is missing.').waitFor();
  await look(page, 'domain-failing');
  await page.keyboard.press('Escape');
  await record.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'birch.example.com' }).getByText('Record missing').waitFor();
  await look(page, 'domains');

  await choose(page, 'birch.example.com', 'Delete');
  await page.getByRole('dialog').getByRole('textbox').fill('birch.example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No domains yet').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a Dev sees no domains', async () => {
  const us = await team();
  const { page } = await visit(await memberOf(us, 'Dev'), pathOf(us.organization));
  await page.getByRole('link', { name: 'Projects', exact: true }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Domains', exact: true }).count()).toBe(0);
});
