/** A browser in which a person is signed in, and who says yes to what the hosted pages ask. */
import { expect } from '@jest/globals';
import { type Browser, openBrowser, pathOf } from '../../../services/identity/src/testing/browser.ts';
import type { TestService } from '../../../services/identity/src/testing/service.ts';
import { createClient } from '../client.ts';
import type { SystemStack } from '../shared-stack.ts';
import { PASSWORD } from '../world.ts';

export async function openPersonsBrowser({ url }: SystemStack, email: string): Promise<Browser> {
  const client = createClient(url, 'a browser');
  const ask: TestService['ask'] = (method, path, options) => client.call(method, path, options) as ReturnType<TestService['ask']>;
  const browser = openBrowser({ ask } as TestService, { headers: { origin: url } });
  const { status } = await browser.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: PASSWORD } });
  expect(status).toBe(200);
  return browser;
}

/** Follows the address of a sign-in, until it leads to the redirect URI. */
export async function sayYes(browser: Browser, address: string, redirect: string): Promise<URL> {
  let { location } = await browser.get(pathOf(address));
  for (let steps = 0; !location.href.startsWith(redirect); steps += 1) {
    expect(steps).toStrictEqualFor(location.href, Math.min(steps, 10));
    const id = /interaction=([^&]+)/.exec(location.search)?.[1];
    if (id === undefined) location = (await browser.get(pathOf(location))).location;
    else {
      const { body } = await browser.get(`/api/auth/interactions/${id}`);
      const action = body.data.prompt === 'consent' ? 'consent' : 'continue';
      location = new URL((await browser.post(`/api/auth/interactions/${id}`, { action })).body.data.redirectTo);
    }
  }
  return location;
}
