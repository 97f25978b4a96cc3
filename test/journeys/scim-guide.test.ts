/** docs/guides/scim.md as its reader follows it: what an Owner makes, and each command. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { inScope } from '../support/client.ts';
import { connectDirectory } from '../support/directory.ts';
import { openPage } from '../support/guides/page.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { createOrganization, createPerson, dataOf } from '../support/world.ts';

test('the guide scim: its commands print what it says, and the console has each request', async () => {
  const stack = await openStack();
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const directory = await connectDirectory(stack.url, owner, organization);
  expect(directory.address).toBe(`${stack.url}/scim/v2/${organization.id}`);
  expect(directory.token).toMatch(/^tds_/);
  const folder = mkdtempSync(join(tmpdir(), 'tessera-guide-'));
  try {
    const page = openPage('scim', folder, 0);
    const person = `ada.${randomUUID().slice(0, 8)}@example.com`;
    const env = { PATH: process.env.PATH ?? '', ADDRESS: directory.address, TOKEN: directory.token, PERSON: person };
    expect(await page.run(env)).toBe(page.answer);
  } finally {
    rmSync(folder, { recursive: true });
    await directory.close();
  }
  // What the server can do is answered without a token, and leaves no row.
  const path = `/api/directory-requests?${inScope(organization)}`;
  const rows = async () => dataOf(await owner.client.get(path, owner.token)).items as { method: string; status: number }[];
  await until(async () => (await rows()).length === 6);
  expect((await rows()).map(({ method, status }) => `${method} ${status}`).toReversed()).toStrictEqual([
    'GET 200',
    'POST 201',
    'POST 201',
    'PATCH 200',
    'POST 200',
    'GET 200',
  ]);
});
