/** Sign-in by provider and by magic link through the whole system and a fake provider. */

import { randomInt, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { StackOptions } from '../../tools/stack/stack.ts';
import { type Answer, createClient } from './client.ts';
import { type FakeUser, fakeCredentials, providerVariables, startFakeProvider } from './fake-provider/provider.ts';
import { openStack, type SystemStack, startOwnStack } from './shared-stack.ts';
import { createOrganization, createPerson, createProject, dataOf } from './world.ts';

export const redirectUri = 'https://shop.example/signed-in';

/** On the stack that all system tests share, and its provider: they are not alone. */
export async function openSignIn() {
  return signInsOn(await openStack());
}

/** On a stack of the caller's own, with a provider of its own. */
export async function startSignIn({ env, ...options }: Partial<StackOptions> = {}) {
  const provider = await startFakeProvider(fakeCredentials);
  const stack = await startOwnStack({ ...options, env: { ...env, ...providerVariables(provider.url) } });
  const close = async () => {
    await stack.close();
    await provider.stop();
  };
  return { ...signInsOn(stack), stack, provider, close };
}

/** What a person does at the provider's page, without the page. */
export async function approve(authorizationUrl: string, { id, login, name, email, verified }: FakeUser): Promise<string> {
  const choice = { id: String(id), login, name, email: email ?? '', ...(verified && { verified: 'on' }) };
  const answer = await fetch(authorizationUrl, { method: 'POST', body: new URLSearchParams(choice), redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The provider answers ${answer.status}: ${await answer.text()}`);
  return location;
}

/** On any stack. Without a provider beside it, the sign-ins by provider do not work. */
export function signInsOn(stack: SystemStack) {
  const newUser = (changes: Partial<FakeUser> = {}): FakeUser => {
    const id = randomInt(2 ** 47);
    return { id, login: `user${id}`, name: `User ${id}`, email: `${randomUUID()}@example.com`, verified: true, ...changes };
  };

  /** A browser: it keeps its cookies and says where it is sent. */
  const openBrowser = () => {
    const client = createClient(stack.url, `browser ${randomUUID()}`);
    const cookies = new Map<string, string>();
    const withCookies = () => ({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') });
    const keep = (answer: Answer) => {
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      return answer;
    };
    return {
      get: async (address: string | URL) => {
        const { pathname, search } = new URL(address, stack.url);
        const answer = keep(await client.get(pathname + search, undefined, withCookies()));
        return { ...answer, location: new URL(String(answer.headers.location ?? 'http://nowhere.invalid/')) };
      },
      post: async (path: string, body: object) => keep(await client.post(path, body, undefined, withCookies())),
    };
  };

  const signInToPlatform = async (user: FakeUser, query: string) => {
    const browser = openBrowser();
    const { location } = await browser.get(`/api/auth/codehost?${query}`);
    const end = await browser.get(await approve(location.href, user));
    return { browser, end: end.location };
  };

  const signInToApp = async (app: { clientId: string }, user: FakeUser): Promise<Record<string, string>> => {
    const browser = openBrowser();
    const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, state: 'mine', provider: 'codehost' });
    const { location } = await browser.get(`/api/auth/project/authorize?${query}`);
    const end = await browser.get(await approve(location.href, user));
    expect(end.location.href.split('#')[0]).toStrictEqualFor(end.body, redirectUri);
    return Object.fromEntries(new URLSearchParams(end.location.hash.slice(1)));
  };

  /** A project with a resource of its own, and a role that may read it. */
  const createShop = async () => {
    const owner = await createPerson(stack);
    const organization = await createOrganization(owner);
    const project = await createProject(owner, organization);
    const create = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token));
    const resource = await create('/api/resources', { name: 'Order', slug: 'order', actions: ['read', 'write'] });
    const permission = await create('/api/permissions', { name: 'read orders', resourceId: resource.id, action: 'read' });
    const group = await create('/api/groups', { name: 'readers', permissionIds: [permission.id] });
    const role = await create('/api/roles', { name: 'Customer', groupIds: [group.id] });
    const createApp = async (changes: object = {}): Promise<{ id: string; clientId: string }> =>
      create('/api/project-apps', { name: 'Shop', redirectUris: [redirectUri], allowSignUp: true, signUpRoleId: role.id, ...changes });
    return { owner, organization, project, roleId: String(role.id), createApp };
  };

  const decide = async (token: string, resource: string, action: string) => {
    const { status, body } = await createClient(stack.url).post('/api/auth/is-authorized', { permission: { resource, action } }, token);
    return status === 200 ? [body.data.authorized, body.data.reason] : [status];
  };

  return { stack, newUser, openBrowser, signInToPlatform, signInToApp, createShop, decide };
}
