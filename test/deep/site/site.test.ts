/** The documentation as a site: built, and looked at in a browser. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { serveFolder } from '../../../tools/docs/serve.ts';
import { buildSite, builtSite, installSite } from '../../../tools/docs/site.ts';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { testUnless } from '../../support/unless.ts';

testUnless(skip)('the site builds, finds a page by its words, and asks no other host', async () => {
  installSite();
  buildSite('https://docs.example');
  expect(readFileSync(join(builtSite, 'llms.txt'), 'utf8')).toContain('https://docs.example/guides/express.md');
  for (const file of ['llms-full.txt', 'openapi.json', 'stability.html', 'stability.md', 'packages/next.html'])
    expect(existsSync(join(builtSite, file))).toStrictEqualFor(file, true);
  await using cleanup = new AsyncDisposableStack();
  const { url, close } = await serveFolder(builtSite, 0);
  cleanup.defer(() => void close());
  const { page, complaints } = await (await openBrowser(cleanup))();
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });
  await page.goto(`${url}/`);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.locator('.VPLocalSearchBox input').fill('sunset');
  await page.locator('.VPLocalSearchBox .result', { hasText: 'Stability' }).first().click();
  await page.getByRole('heading', { name: 'How a change is announced' }).waitFor();
  // What looks like an expression of Vue, or like an element, is text.
  await page.goto(`${url}/conditions`);
  await page.getByText('"{{user.id}}"').first().waitFor();
  await page.goto(`${url}/guides/express`);
  await page.getByRole('button', { name: 'Copy Code' }).first().waitFor({ state: 'attached' });
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect({ complaints, elsewhere }).toStrictEqual({ complaints: [], elsewhere: [] });
});
