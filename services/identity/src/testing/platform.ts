/** Signing in to the platform through the provider, as a browser does. */
import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FakeUser } from '../../../../test/support/fake-provider/provider.ts';
import { type Browser, openBrowser, pathOf } from './browser.ts';
import { frontendUrl, type OauthService } from './oauth.ts';
import { claimsOf } from './service.ts';

export const start = '/api/auth/codehost';
export const landing = `${frontendUrl}/auth/callback`;

export function exchange(browser: Browser, code: string | null, headers = {}, more = {}) {
  return browser.post('/api/auth/cli-callback', { code, ...more }, headers);
}

/** A command line, which waits at a loopback address. */
export const program = { codeVerifier: 'a verifier of the command line, 43 characters or more' };

/** The query with which a command line begins. */
export function loopback(redirect: string): string {
  const codeChallenge = createHash('sha256').update(program.codeVerifier).digest('base64url');
  return `?${new URLSearchParams({ redirect, codeChallenge })}`;
}

/** What the button of the page opens: the loopback address with the code. */
export function pressed(page: URL): URL {
  expect(page.origin + page.pathname).toBe(`${frontendUrl}/auth/program`);
  const { redirect = '', ...outcome } = Object.fromEntries(page.searchParams);
  const address = new URL(redirect);
  for (const [name, value] of Object.entries(outcome)) address.searchParams.set(name, value);
  return address;
}

export function platformOf(service: OauthService) {
  /** Goes to the provider, signs in there and comes back: where the browser ends up. */
  async function signIn(browser: Browser, user: FakeUser, query = ''): Promise<URL> {
    const { location, status, body } = await browser.get(`${start}${query}`);
    expect(status).toStrictEqualFor(body, 302);
    const back = await service.provider.approve(location.href, user);
    return (await browser.get(pathOf(back))).location;
  }

  async function registeredAt(user: FakeUser) {
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=register');
    const { status, body } = await exchange(browser, end.searchParams.get('code'));
    expect(status).toStrictEqualFor(body, 200);
    return { ...body.data, userId: String(claimsOf(body.data.accessToken).sub) };
  }

  return { signIn, registeredAt };
}
