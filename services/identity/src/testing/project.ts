/** Apps of projects, and how people sign in to them. */
import { expect } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { FakeUser } from '../../../../test/support/fake-provider/provider.ts';
import { openBrowser, pathOf, type Visit } from './browser.ts';
import type { OauthService } from './oauth.ts';
import { registered } from './service.ts';

export const authorize = '/api/auth/project/authorize';
export const callback = '/api/auth/project/callback';
export const redirectUri = 'https://client.example/cb?from=tessera';
export const clientState = 'the app’s own & state';
/** What the app is told of a refusal. */
export const refused = { error: 'access_denied', state: clientState };

export type App = {
  readonly id: string;
  readonly clientId: string;
  readonly scope: { tenant: string; id: string };
  readonly roleId: string;
};

export function requestOf(app: Pick<App, 'clientId'>, changes: Readonly<Record<string, string>> = {}) {
  return `${authorize}?${new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, state: clientState, ...changes })}`;
}

export function fragmentOf({ location }: Visit) {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Makes a person one of the people of a scope, besides those who are there. */
export function join({ people }: OauthService['peers'], scopeId: string, userId: string): void {
  people.set(scopeId, new Set([...(people.get(scopeId) ?? []), userId]));
}

export async function projectsOf(service: OauthService) {
  const owner = await registered(service);

  async function makeApp(changes: object = {}, tenant = 'organizationProject'): Promise<App> {
    const scope = { tenant, id: `${newId()}:${newId()}` };
    const roleId = newId();
    join(service.peers, scope.id.slice(0, 36), owner.userId);
    const body = { scope, name: 'Shop', redirectUris: [redirectUri], scopes: ['order:read', 'order:write'], ...changes };
    const signUp = 'allowSignUp' in changes ? { signUpRoleId: roleId } : {};
    const answer = await service.ask('POST', '/api/project-apps', { body: { ...body, ...signUp }, token: owner.accessToken });
    expect(answer.status).toStrictEqualFor(answer.body, 201);
    return { ...answer.body.data, scope, roleId };
  }

  const member = (app: App, userId: string) => service.peers.people.set(app.scope.id, new Set([userId]));

  /** Through the provider and back: where the browser ends up. */
  async function signIn(app: App, user: FakeUser): Promise<Visit> {
    const browser = openBrowser(service);
    const { location, status, body } = await browser.get(requestOf(app, { provider: 'codehost' }));
    expect(status).toStrictEqualFor(body, 302);
    return browser.get(pathOf(await service.provider.approve(location.href, user)));
  }

  async function requestLink(app: Pick<App, 'clientId'>, email: string, changes: object = {}) {
    const body = { client_id: app.clientId, redirect_uri: redirectUri, state: clientState, email, ...changes };
    return service.ask('POST', '/api/auth/project/email/request', { body });
  }

  async function linkIn(email: string, count = 1): Promise<string> {
    const found = (await service.mails(email, count)).filter(({ template }) => template === 'magic-link');
    return pressedLink(String(found.at(-1)?.data.url));
  }

  return { owner, makeApp, member, signIn, requestLink, linkIn };
}

/** Where the button of the page leads that a link in a mail opens. */
function pressedLink(link: string): string {
  return link.replace('/auth/project/email?', '/api/auth/project/callback?');
}
