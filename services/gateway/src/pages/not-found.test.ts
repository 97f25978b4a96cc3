import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { startProxy } from '../testing/gateway.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const folder = mkdtempSync(join(tmpdir(), 'tessera-pages-'));
cleanup.defer(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'assets'));
const style = '.starting { color: red; }';
const styled = `<style>${style}</style>`;
for (const name of ['pages.html', 'console.html']) writeFileSync(join(folder, name), `<!doctype html>${styled}${name}`);

test('the policy of a page allows the style in it by its hash, and nothing else inline', async () => {
  const base = await startProxy(cleanup, { GATEWAY_WEB_FOLDER: folder });
  const hash = createHash('sha256').update(style).digest('base64');
  for (const path of ['/auth/sign-in', '/console', '/nowhere']) {
    const { headers } = await fetch(`${base}${path}`, { headers: { accept: 'text/html' } });
    const policy = headers.get('content-security-policy') ?? '';
    expect([path, policy.includes(`style-src 'self' 'sha256-${hash}';`)]).toStrictEqual([path, true]);
    expect([path, /unsafe|nonce/.test(policy)]).toStrictEqual([path, false]);
  }
});

test('an address without anything is a page for a browser, and JSON for programs and below their paths', async () => {
  const base = await startProxy(cleanup, { GATEWAY_WEB_FOLDER: folder });
  const ask = async (path: string, accept: string, method = 'GET') => {
    const response = await fetch(base + path, { method, headers: { accept } });
    return [response.status, (response.headers.get('content-type') ?? '').split(';')[0]];
  };
  const browser = 'text/html,application/xhtml+xml';
  for (const path of ['/nowhere', '/nowhere?x=1', '/org/a/prj/b/nothing']) {
    expect(await ask(path, browser)).toStrictEqualFor(path, [404, 'text/html']);
    expect(await ask(path, 'application/json')).toStrictEqualFor(path, [404, 'application/json']);
  }
  const page = await fetch(`${base}/nowhere`, { headers: { accept: browser } });
  expect(await page.text()).toContain('pages.html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('cache-control')).toBe('no-store');
  for (const path of ['/api/nothing', '/graphql/nothing', '/.well-known/nothing'])
    expect(await ask(path, browser)).toStrictEqualFor(path, [404, 'application/json']);
  expect(await ask('/nowhere', browser, 'POST')).toStrictEqual([404, 'application/json']);
});
