/**
 * A hostile neighbour: another subdomain, over https, in a real browser. It can set cookies for the
 * product's host and send requests that count as same-site.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { makeCertificate, withoutOpenssl } from '../../../services/gateway/src/testing/certificate.ts';
import { buildWeb } from '../../../tools/start/web.ts';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { heading, password, signIn } from '../../support/browser/journey.ts';
import type { SystemStack } from '../../support/shared-stack.ts';
import { startSignIn } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';

const cannot = skip || withoutOpenssl;
const cleanup = new AsyncDisposableStack();
const product = { url: '', evil: '', planted: [] as string[] };

/** The product at app.localhost behind TLS, and the neighbour at evil.app.localhost. */
async function start(): Promise<SystemStack> {
  const { cert, key } = makeCertificate(cleanup);
  const target = { url: '' };
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (incoming, outgoing) => {
    if (incoming.headers.host?.startsWith('evil.')) {
      outgoing.writeHead(200, { 'content-type': 'text/html', 'referrer-policy': 'no-referrer', 'set-cookie': product.planted });
      outgoing.end(`<title>The neighbour</title><a href="${product.url}/api/auth/codehost?action=connect">Connect</a>`);
      return;
    }
    const { method, headers, url = '/' } = incoming;
    const inner = request(new URL(url, target.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    inner.on('error', () => outgoing.destroy());
    incoming.pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  Object.assign(product, { url: `https://app.localhost:${port}`, evil: `https://evil.app.localhost:${port}` });
  await buildWeb(() => undefined);
  const { stack, close } = await startSignIn({ env: { APP_URL: product.url } });
  cleanup.defer(close);
  target.url = stack.url;
  return stack;
}

let stack: SystemStack | undefined;
beforeAll(async () => {
  if (!cannot) stack = await start();
});
afterAll(() => cleanup.disposeAsync());

async function person(): Promise<{ readonly email: string; readonly userId: string; readonly refreshToken: string }> {
  const email = `${randomUUID()}@example.com`;
  const body = JSON.stringify({ provider: 'email', providerId: email, providerData: { password } });
  const answer = await fetch(`${stack?.url}/api/auth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { data } = (await answer.json()) as { readonly data: { account: { ownerId: string }; refreshToken: string } };
  return { email, userId: data.account.ownerId, refreshToken: data.refreshToken };
}

/** Whose session the cookie of the page continues: the id of the person, or the status. */
function whose(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    const answer = await fetch('/api/auth/refresh', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    if (!answer.ok) return answer.status;
    const { data } = JSON.parse(await answer.text());
    return JSON.parse(atob(data.accessToken.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub;
  });
}

testUnless(cannot)('another subdomain cannot replace or end a session by cookies, nor act in it', async () => {
  const open = await openBrowser(cleanup);
  const [victim, attacker] = [await person(), await person()];
  const { context, page } = await open();
  await page.goto(`${product.url}/auth/sign-in`);
  await signIn(page, victim.email);
  await heading(page, /./);
  await page.waitForURL('**/console**');
  expect(await whose(page)).toBe(victim.userId);

  const stolen = (name: string, attributes: string) => `${name}=${attacker.refreshToken}; Secure; ${attributes}`;
  product.planted = [
    stolen('refresh_token', 'Domain=app.localhost; Path=/'),
    stolen('refresh_token', 'Domain=app.localhost; Path=/api/auth'),
    stolen('__Host-refresh_token', 'Domain=app.localhost; Path=/'),
    stolen('__Host-refresh_token', 'Domain=app.localhost; Path=/api/auth'),
    stolen('__Host-refresh_token', 'Path=/'),
  ];
  await page.goto(product.evil);
  const sent = await context.cookies(`${product.url}/api/auth/refresh`);
  // The neighbour's cookies are there, or this would show nothing.
  expect(sent.filter(({ name, value }) => name === 'refresh_token' && value === attacker.refreshToken).length).toBeGreaterThan(0);
  expect(sent.filter(({ name }) => name === '__Host-refresh_token').map(({ value }) => value)).not.toContain(attacker.refreshToken);

  const statuses = await page.evaluate(async (url) => {
    const body = JSON.stringify({});
    const send = (path: string, type: string) =>
      fetch(url + path, { method: 'POST', credentials: 'include', headers: { 'content-type': type }, body }).then(
        ({ status }) => status,
        () => 'no answer',
      );
    const paths = ['/api/auth/refresh', '/api/auth/logout', '/api/me/logout', '/graphql'];
    const answers = [];
    for (const path of paths) for (const type of ['application/json', 'text/plain']) answers.push(await send(path, type));
    return answers;
  }, product.url);
  expect([...new Set(statuses)]).toStrictEqual(['no answer']);
  await page.goto(product.evil);
  const connecting = page.waitForResponse((response) => response.url().startsWith(`${product.url}/api/auth/codehost`));
  await page.getByRole('link', { name: 'Connect' }).click();
  // To an error of ours, not to the provider.
  const { location = '' } = (await connecting).headers();
  expect(new URL(location, product.url).origin).toBe(product.url);
  expect(location).toMatch(/error/);
  await heading(page, /./);

  await page.goto(`${product.url}/console`);
  await heading(page, /./);
  expect(await whose(page)).toBe(victim.userId);
});
