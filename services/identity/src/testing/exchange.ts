/** Apps that exchange tokens of other apps, on openid-client. */
import { expect } from '@jest/globals';
import { exchangeGrant } from '@tessera/rules/app-types';
import * as client from 'openid-client';
import type { OauthService } from './oauth.ts';
import type { OpenidApp, openidOf } from './openid.ts';

export const both = ['order:read', 'order:write'];
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

export const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

export function exchangeOf(service: OauthService, openid: ReturnType<typeof openidOf>) {
  /** Another app in the project of an app, that may exchange tokens. */
  async function sibling(of: OpenidApp, changes: Readonly<Record<string, unknown>> = {}): Promise<OpenidApp> {
    const machine = changes['type'] === 'machine';
    const rights = machine ? { scopes: [], roleId: of.roleId } : { scopes: both };
    const body = { scope: of.scope, name: 'Agent', type: 'web', grantTypes: [exchangeGrant], ...rights, ...changes };
    const answer = await service.ask('POST', '/api/project-apps', { body, token: openid.owner.accessToken });
    expect(answer.status).toStrictEqualFor(answer.body, 201);
    return { ...of, ...answer.body.data };
  }

  async function update(app: OpenidApp, changes: object): Promise<void> {
    const body = { scope: app.scope, ...changes };
    const answer = await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: openid.owner.accessToken });
    expect(answer.status).toStrictEqualFor(answer.body, 200);
  }

  function remove({ id, scope }: OpenidApp) {
    const place = `tenant=${scope.tenant}&scopeId=${scope.id}`;
    return service.ask('DELETE', `/api/project-apps/${id}?${place}`, { token: openid.owner.accessToken });
  }

  async function exchange(by: OpenidApp, token: string, parameters: Readonly<Record<string, string>> = {}) {
    const config = await openid.discover(by);
    return client.genericGrantRequest(config, exchangeGrant, { subject_token: token, subject_token_type: accessTokenType, ...parameters });
  }

  async function isActive(by: OpenidApp, token: string): Promise<boolean> {
    return (await client.tokenIntrospection(await openid.discover(by), token)).active === true;
  }

  /** A person signed in to an app, and an agent that may act by its tokens. */
  async function world(agentFields: Readonly<Record<string, unknown>> = {}) {
    const app = await openid.makeClient();
    const agent = await sibling(app, agentFields);
    await update(app, { mayAct: [agent.clientId] });
    const person = await openid.person(app);
    service.peers.permissions.set(person.userId, both);
    const { tokens } = await openid.signIn(app, person.browser, { scope: 'openid offline_access order:read order:write' });
    return { app, agent, person, token: tokens.access_token, tokens };
  }

  return { sibling, update, remove, exchange, isActive, world };
}
