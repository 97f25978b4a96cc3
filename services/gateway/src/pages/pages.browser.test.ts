import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { testUnless } from '../../../../test/support/unless.ts';
import { startGateway, startProxy } from '../testing/gateway.ts';
import { standIns, startSubgraph } from '../testing/subgraphs.ts';

const browserPath = [process.env['TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const skip = browserPath === undefined && 'NOT RUN in a browser: no Chromium here (TEST_CHROMIUM names one)';

/** A page that reaches no other host, its attempts to do so, and its errors. */
async function openPage(cleanup: AsyncDisposableStack, base: string): Promise<{ page: Page; elsewhere: string[]; complaints: string[] }> {
  // The browser resolves no name and reaches only this machine.
  const cutOff = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
  const timeout = 90_000; // for each step, on a slow machine
  const browser: Browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox', cutOff], timeout });
  cleanup.defer(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  await page.route('**/*', (route) => {
    if (route.request().url().startsWith(base) || route.request().url().startsWith('data:')) return route.continue();
    elsewhere.push(route.request().url());
    return route.abort();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, elsewhere, complaints };
}

testUnless(skip)('the API page opens in a browser with nothing but the gateway, and runs a request', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startProxy(cleanup);
  const { page, elsewhere, complaints } = await openPage(cleanup, base);
  await page.goto(`${base}/api-docs`);
  await page.getByRole('heading', { name: /Tessera/ }).waitFor();
  await page.locator('#operations-operation-health .opblock-summary-control, #operations-tag-operation').first().click();
  await page.locator('#operations-operation-health').click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table .response-col_status').first().waitFor();
  expect((await page.locator('.live-responses-table').textContent()) ?? '').toMatch(/200[\s\S]*"status": "ok"/);
  expect({ elsewhere, complaints }).toStrictEqual({ elsewhere: [], complaints: [] });
});

testUnless(skip)('GraphiQL opens in a browser with nothing but the gateway, knows the schema, and runs a request', async () => {
  await using cleanup = new AsyncDisposableStack();
  const running = await Promise.all(standIns.map((standIn) => startSubgraph(cleanup, standIn)));
  const urls = Object.fromEntries(standIns.map(({ name }, index) => [`${name.toUpperCase()}_HTTP_URL`, running[index]?.url ?? '']));
  const base = await startGateway(cleanup, urls);
  const { page, elsewhere, complaints } = await openPage(cleanup, base);
  const introspected = page.waitForResponse(
    (response) => response.url() === `${base}/graphql` && (response.request().postData() ?? '').includes('__schema'),
  );
  await page.goto(`${base}/graphql`);
  expect((await introspected).status()).toBe(200);
  await page.locator('.graphiql-query-editor .CodeMirror').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('{ me { name } }');
  // GraphiQL takes over what was typed only after a pause, and keeps it after a longer one.
  await page.waitForFunction(() => Object.values(localStorage).some((kept) => String(kept).includes('me { name }')));
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.result-window', { hasText: 'User 1' }).waitFor();
  expect({ elsewhere, complaints }).toStrictEqual({ elsewhere: [], complaints: [] });
});

test('the pages have a content security policy, their files are cached and compressed, and GraphiQL needs introspection', async () => {
  await using cleanup = new AsyncDisposableStack();
  const base = await startGateway(cleanup, {});
  for (const path of ['/api-docs', '/graphql']) {
    const response = await fetch(`${base}${path}`, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy') ?? '').toMatch(
      /script-src 'self';.*connect-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(!/https?:\/\//.test(await response.text())).toStrictEqualFor(path, true);
  }
  const script = await fetch(`${base}/graphql/graphiql.js`, { headers: { 'accept-encoding': 'br' } });
  expect(script.headers.get('content-encoding')).toBe('br');
  const again = await fetch(`${base}/graphql/graphiql.js`, {
    headers: { 'accept-encoding': 'br', 'if-none-match': script.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  expect((await fetch(`${base}/graphql`)).status).toBe(404);
  const document = (await (await fetch(`${base}/api-docs.json`)).json()) as { openapi: string };
  expect(document.openapi).toBe('3.1.0');
  const production = await startGateway(cleanup, { NODE_ENV: 'production' });
  expect((await fetch(`${production}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(404);
  expect((await fetch(`${production}/api-docs`)).status).toBe(200);
  expect((await fetch(`${production}/api-docs/schema.graphql`)).status).toBe(404);
  const published = await startGateway(cleanup, { NODE_ENV: 'production', API_DOCS: 'true' });
  expect(await (await fetch(`${published}/api-docs/schema.graphql`)).text()).toContain('type Query {');
  expect(await (await fetch(`${published}/api-docs/rbac.proto`)).text()).toContain('service Authorization {');
});

test('the bar for the session of the console is there only where the pages are built, as a script of this origin', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-pages-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  for (const name of ['pages.html', 'console.html', 'assets/api-tools-Ab_1-2.js']) writeFileSync(join(folder, name), '');
  const built = await startGateway(cleanup, { GATEWAY_WEB_FOLDER: folder });
  const alone = await startGateway(cleanup, { GATEWAY_WEB_FOLDER: join(folder, 'nothing') });
  const read = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text();
  for (const path of ['/api-docs', '/graphql']) {
    expect(await read(built + path)).toContain('<script type="module" src="/assets/api-tools-Ab_1-2.js"></script>');
    expect(await read(alone + path)).not.toMatch(/console-session|type="module"/);
  }
});
