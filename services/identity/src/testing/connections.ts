/** identity, organizations with a connection by OpenID Connect, and providers for them. */
import { expect } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { openBrowser, pathOf } from './browser.ts';
import { exchange } from './platform.ts';
import { claimsOf, registered, startIdentity, type TestService } from './service.ts';
import { startUpstream, type Upstream, type UpstreamPerson, upstreamClient } from './upstream.ts';

export type ConnectionWorld = Awaited<ReturnType<Awaited<ReturnType<typeof startConnections>>['makeWorld']>>;

export async function startConnections(env: Readonly<Record<string, string>> = {}) {
  return connectionsOf(await startIdentity({ WEBHOOK_ALLOW_PRIVATE: 'true', SECURITY_FRONTEND_URL: 'https://app.example.com', ...env }));
}

/** The same on a service that was started with WEBHOOK_ALLOW_PRIVATE. */
export function connectionsOf<Service extends TestService>(service: Service) {
  const { ask, peers } = service;
  const upstreams: Upstream[] = [];

  /** An organization with a proven domain and an active connection. */
  async function makeWorld(known?: Upstream) {
    const upstream = known ?? (await startUpstream());
    if (known === undefined) upstreams.push(upstream);
    const owner = await registered(service);
    const organizationId = newId();
    const domain = `${newId()}.example.net`;
    const scope = { tenant: 'organization', id: organizationId };
    peers.provenDomains.set(organizationId, new Set([domain, 'example.com']));
    const oidc = { issuer: upstream.issuer, ...upstreamClient };
    const fields = { scope, type: 'oidc', name: 'Our login', oidc, defaultRoleId: newId() };
    const made = await ask('POST', '/api/connections', { token: owner.accessToken, body: fields });
    expect(made.status).toStrictEqualFor(made.body, 201);
    const connection = made.body.data;
    upstream.register([connection.callbackUrl]);
    const change = (more: object) =>
      ask('PATCH', `/api/connections/${connection.id}`, { token: owner.accessToken, body: { scope, ...more } });
    const remove = () =>
      ask('DELETE', `/api/connections/${connection.id}?tenant=organization&scopeId=${organizationId}`, { token: owner.accessToken });
    const active = await change({ status: 'active' });
    expect(active.status).toStrictEqualFor(active.body, 200);
    const start = `/api/auth/connections/${connection.id}`;

    async function begin(browser: ReturnType<typeof openBrowser>, query = '', headers = {}) {
      const { status, body, location } = await browser.get(`${start}${query}`, { 'sec-fetch-site': 'same-origin', ...headers });
      expect(status).toStrictEqualFor(body, 302);
      return location;
    }
    /** Where the browser ends up: with a code, or with an error. */
    async function come(who: UpstreamPerson, { browser = openBrowser(service), query = '', headers = {} } = {}) {
      const back = await upstream.approve(await begin(browser, query, headers), who);
      const { location } = await browser.get(pathOf(back));
      return { browser, location, error: location.searchParams.get('error'), code: location.searchParams.get('code') };
    }
    async function signIn(who: UpstreamPerson) {
      const { browser, error, code } = await come(who);
      expect(error).toBeNull();
      const { status, body } = await exchange(browser, code);
      expect(status).toStrictEqualFor(body, 200);
      return { ...body.data, browser, userId: String(claimsOf(body.data.accessToken)['sub']) };
    }
    return { upstream, owner, organizationId, domain, scope, connection, change, remove, start, begin, come, signIn };
  }

  return {
    ...service,
    makeWorld,
    countOf: async (table: string) =>
      Number((await service.database.query<{ n: string }>(sql(`SELECT count(*) AS n FROM ${table}`)))[0]?.n),
    async stop() {
      await service.stop();
      await Promise.all(upstreams.map((upstream) => upstream.stop()));
    },
  };
}

let count = 0;

/** A person at a provider, with an address of the domain. */
export function upstreamPerson(domain: string, more: object = {}): UpstreamPerson {
  count += 1;
  return { sub: `subject-${count}`, name: `Person ${count}`, email: `person${count}.${newId()}@${domain}`, email_verified: true, ...more };
}

/** As tenancy does: the person is remembered as one who left. */
export function removeMember({ peers }: Pick<TestService, 'peers'>, organizationId: string, userId: string): void {
  peers.people.get(organizationId)?.delete(userId);
  peers.departed.add(`${organizationId}:${userId}`);
}
