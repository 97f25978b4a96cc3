/**
 * Who hears what of a project grant, and of an organization's own sign-in: real receivers.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startUpstream, type UpstreamPerson, upstreamClient } from '../../services/identity/src/testing/upstream.ts';
import { inScope, type ScopeValue } from '../support/client.ts';
import { openDns, type TestDns } from '../support/dns.ts';
import { createCustomer } from '../support/federation/customer.ts';
import { startOwnStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
let stack: Awaited<ReturnType<typeof startOwnStack>>;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let dns: TestDns;
beforeAll(async () => {
  dns = await openDns();
  cleanup.defer(() => dns.close());
  stack = await startOwnStack({ env: { WEBHOOK_ALLOW_PRIVATE: 'true', DOMAINS_DNS_SERVERS: dns.server } });
  cleanup.defer(() => stack.close());
  receiver = await openReceiver();
}, 240_000);
afterAll(() => cleanup.disposeAsync());

type Message = {
  readonly type: string;
  readonly data: {
    readonly outcome: string;
    readonly reason: string | null;
    readonly actor: { readonly type: string; readonly id: string | null };
    readonly scope: ScopeValue;
    readonly target: { readonly id: string };
    readonly detail: Readonly<Record<string, unknown>>;
    readonly ipAddress: string | null;
  };
};
type Posted = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

async function openReceiver() {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posted.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => void server.close().closeAllConnections());
  return { posted, url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` };
}

async function makeTag({ client, token }: Pick<Person, 'client' | 'token'>, scope: ScopeValue): Promise<void> {
  dataOf(await client.post('/api/tags', { scope, name: randomUUID(), color: 'blue' }, token));
}

/** A webhook that wants to hear everything. What it is told counts with a valid signature alone. */
async function listen({ client, token }: Person, scope: ScopeValue) {
  const path = `/${randomUUID()}`;
  const wish = { scope, url: receiver.url(path), eventTypes: ['*'], outcomes: ['ok', 'refused', 'failed'] };
  const { secret } = dataOf(await client.post('/api/webhooks', wish, token));
  const standard = new Webhook(secret);
  const bodies = () => receiver.posted.filter((one) => one.path === path);
  const messages = () => bodies().map(({ body, headers }) => standard.verify(body, headers as Record<string, string>) as Message);
  // Each service learns a moment later that there is a webhook.
  await until(async () => {
    await makeTag({ client, token }, scope);
    return messages().some(({ type }) => type === 'tag.created');
  });
  const heard = () => messages().filter(({ type }) => type.startsWith('grant'));
  return { bodies, messages, heard, actions: () => heard().map(({ type }) => type) };
}
type Listener = Awaited<ReturnType<typeof listen>>;

async function makeVendor() {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, `Vendor ${randomUUID()}`);
  const product = await createProject(owner, organization, 'Billing');
  const make = async (path: string, body: object) =>
    dataOf(await owner.client.post(`/api/${path}`, { scope: product, ...body }, owner.token));
  const reader = await make('roles', { name: 'Reader' });
  const hooks = { organization: await listen(owner, organization), product: await listen(owner, product) };
  return { owner, organization, product, make, readerId: String(reader.id), hooks };
}
type Vendor = Awaited<ReturnType<typeof makeVendor>>;

async function makeCustomer(name: string) {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, `${name} ${randomUUID()}`);
  const member = await addMember(stack, owner, organization, 'Viewer');
  return { owner, organization, member, hook: await listen(owner, organization) };
}
type Customer = Awaited<ReturnType<typeof makeCustomer>>;

/** One grant after the other, through every state. */
async function runThrough({ owner: vendor, product, make, readerId }: Vendor, { owner, organization, member }: Customer) {
  const ids: string[] = [];
  const offer = async () => {
    const { id } = await make('project-grants', { organizationId: organization.id });
    ids.push(String(id));
    return String(id);
  };
  const post = async ({ client, token }: Person, scope: ScopeValue, id: string, step: string) =>
    dataOf(await client.post(`/api/project-grants/${id}/${step}`, { scope }, token));
  const answer = (id: string, step: string) => post(owner, organization, id, step);
  await answer(await offer(), 'decline');
  const used = await offer();
  await answer(used, 'accept');
  const place = { tenant: 'organizationProject', id: `${organization.id}:${product.id.slice(37)}` };
  const hook = await listen(owner, place);
  dataOf(await vendor.client.patch(`/api/project-grants/${used}`, { scope: product, maxMembers: 7 }, vendor.token));
  for (const roleIds of [[readerId], [], [readerId]])
    dataOf(await owner.client.patch(`/api/users/${member.userId}`, { scope: place, roleIds }, owner.token));
  dataOf(await owner.client.delete(`/api/organization-members/${member.userId}?${inScope(organization)}`, owner.token));
  // It waits while the grant is suspended, and ends with it.
  await until(() => hook.actions().includes('grantMember.left'));
  await post(vendor, product, used, 'suspend');
  await post(vendor, product, used, 'resume');
  dataOf(await vendor.client.delete(`/api/project-grants/${used}?${inScope(product)}`, vendor.token));
  const last = await offer();
  await answer(last, 'accept');
  await answer(last, 'leave');
  return { ids, hook, place };
}

const memberEvents = ['grantMember.assigned', 'grantMember.unassigned', 'grantMember.assigned', 'grantMember.left'];
const declined = ['grant.offered', 'grant.declined'];
const used = ['grant.offered', 'grant.accepted', 'grant.updated', 'grant.suspended', 'grant.resumed', 'grant.ended'];
const left = ['grant.offered', 'grant.accepted', 'grant.left'];
const ofBoth = [...declined, ...used, ...left, ...memberEvents].toSorted();

/** An event that is sent after all that came before, because first attempts keep their order. */
async function mark(person: Person, scope: ScopeValue, listeners: readonly Listener[]) {
  const before = listeners.map((one) => one.messages().length);
  await makeTag(person, scope);
  await until(() =>
    listeners.every((one, at) =>
      one
        .messages()
        .slice(before[at])
        .some(({ type }) => type === 'tag.created'),
    ),
  );
}

test('both sides hear of their grant, the owner of the people with roles, and no customer anything of another', async () => {
  const vendor = await makeVendor();
  const customers = [await makeCustomer('Acme'), await makeCustomer('Birch')] as const;
  const ran = await Promise.all(customers.map((customer) => runThrough(vendor, customer)));
  const mailed = await vendor.make('project-grants', { email: `${randomUUID()}@customer.example` });
  dataOf(await vendor.owner.client.delete(`/api/project-grants/${mailed.id}?${inScope(vendor.product)}`, vendor.owner.token));

  const owners = [vendor.hooks.organization, vendor.hooks.product];
  const all = [...ofBoth, ...ofBoth, 'grant.offered', 'grant.ended'].toSorted();
  await until(() => owners.every((one) => one.actions().length >= all.length));
  await until(() => customers.every(({ hook }) => hook.actions().length >= ofBoth.length));
  await mark(vendor.owner, vendor.product, owners);
  for (const { owner, organization, hook } of customers) await mark(owner, organization, [hook]);

  for (const one of owners) expect(one.actions().toSorted()).toStrictEqual(all);
  for (const [at, { hook }] of customers.entries()) {
    expect(hook.actions().toSorted()).toStrictEqual(ofBoth);
    expect(ran[at]?.hook.actions()).toStrictEqual(memberEvents);
  }

  for (const [at, { owner, organization, member, hook }] of customers.entries()) {
    const [run, other] = [ran[at], customers[1 - at]];
    const heardOfIt = vendor.hooks.product.heard().filter(({ data }) => data.detail['organizationId'] === organization.id);
    // The owner learns what the customer's people did, never who did it or from where.
    for (const { type, data } of heardOfIt) {
      expect([type, data.scope]).toStrictEqual([type, vendor.product]);
      if (!type.startsWith('grantMember.')) continue;
      expect([data.target.id, data.detail['grantId']]).toStrictEqual([member.userId, run?.ids[1]]);
      if (type !== 'grantMember.left') expect(data.detail['roles']).toStrictEqual([{ id: vendor.readerId, name: 'Reader' }]);
    }
    expect(heardOfIt.filter(({ type }) => type === 'grant.accepted')).toMatchObject([
      { data: { target: { id: run?.ids[1] }, detail: { by: 'customer', status: 'active' } } },
      { data: { target: { id: run?.ids[2] }, detail: { by: 'customer', status: 'active' } } },
    ]);
    for (const one of owners)
      for (const { body } of one.bodies()) for (const secret of [owner.userId, owner.email]) expect(body).not.toContain(secret);

    // The customer's own hear of its grants, and nothing of who sells to it or of who else buys.
    const mine = [hook, ...(run ? [run.hook] : [])];
    expect(
      new Set(
        hook
          .heard()
          .filter(({ type }) => type.startsWith('grant.'))
          .map(({ data }) => data.target.id),
      ),
    ).toStrictEqual(new Set(run?.ids));
    const ofOther = other ? [other.organization.id, other.owner.userId, other.owner.email, other.member.userId, other.member.email] : [];
    const ofVendor = [vendor.owner.userId, vendor.owner.email, String(mailed.id), String(mailed.email)];
    const foreign = [...ofVendor, ...ofOther, ...(ran[1 - at]?.ids ?? [])];
    for (const one of mine) {
      expect(one.bodies().length).toBeGreaterThan(0);
      for (const { body } of one.bodies()) for (const text of foreign) expect(body).not.toContain(text);
    }
  }
});

describe('an organization whose people sign in by its own provider', () => {
  /** To the provider and back, in a new browser: where that ends. */
  async function come(id: string, approve: (location: string) => Promise<URL>, { action = 'login', token = '' } = {}) {
    const headers = { 'sec-fetch-site': 'same-origin', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
    const begun = await fetch(`${stack.url}/api/auth/connections/${id}?action=${action}`, { redirect: 'manual', headers });
    const cookie = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
    const back = await approve(begun.headers.get('location') ?? '');
    const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
    return new URL(ended.headers.get('location') ?? '').searchParams.get('error');
  }

  test('hears who was made a member and linked, whose roles changed, and who was refused, with the reason', async () => {
    const customer = await createCustomer(stack, dns);
    const { owner, organization, domain } = customer;
    const upstream = await startUpstream();
    cleanup.defer(() => upstream.stop());
    const hook = await listen(owner, organization);
    const connection = await customer.connect({ type: 'oidc', oidc: { issuer: upstream.issuer, ...upstreamClient } });
    upstream.register([connection.callbackUrl]);
    const roleId = await builtInRole(owner, organization, 'Dev');
    await customer.change(connection.id, { status: 'active', roleMapping: [{ claim: 'name', value: 'Dev Birch', roleId }] });
    const sign = (who: UpstreamPerson, more = {}) => come(connection.id, (location) => upstream.approve(location, who), more);
    const ada = { sub: 'ada', name: 'Dev Birch', email: `ada@${domain}`, email_verified: true };
    expect(await sign(ada)).toBeNull();
    expect(await sign({ ...ada, name: 'Ada Birch' })).toBeNull();
    const grace = await createPerson(stack, { email: `grace@${domain}` });
    const asGrace = { ...ada, sub: 'grace', email: grace.email, name: 'Grace Birch' };
    expect(await sign(asGrace)).toBe('link_needed');
    expect(await sign(asGrace, { action: 'connect', token: grace.token })).toBeNull();
    expect(await sign({ ...ada, sub: 'eve', email: 'eve@elsewhere.example' }, { action: 'connect', token: grace.token })).toBe(
      'address_not_allowed',
    );

    const ofSignIn = /^(?:oauth|authentication-method|connection\.(?:member-added|roles-mapped))/;
    const heard = () => hook.messages().filter(({ type }) => ofSignIn.test(type));
    await until(() => heard().filter(({ data }) => data.outcome === 'refused').length === 2);
    await mark(owner, organization, [hook]);
    const told = (type: string, outcome = 'ok') => heard().filter((one) => one.type === type && one.data.outcome === outcome);
    expect(told('connection.member-added')).toHaveLength(2);
    expect(told('connection.roles-mapped').map(({ data }) => data.detail)).toMatchObject([
      { source: `connection:${connection.id}`, assigned: ['Dev'], unassigned: ['Viewer'] },
      { source: `connection:${connection.id}`, assigned: ['Viewer'], unassigned: ['Dev'] },
    ]);
    expect(told('authentication-method.created')).toMatchObject([
      { data: { scope: organization, detail: { connection: connection.id, by: 'word' }, actor: { id: grace.userId } } },
    ]);
    expect(told('oauth.login')).toHaveLength(2);
    const refused = { outcome: 'refused', scope: organization, target: { id: connection.id } };
    expect(told('oauth.login', 'refused')).toMatchObject([
      { data: { ...refused, reason: 'link_needed', detail: { reason: 'link_needed' } } },
    ]);
    expect(told('oauth.connect', 'refused')).toMatchObject([
      { data: { ...refused, detail: { reason: 'the organization has not proven the domain of the address' } } },
    ]);
    for (const { body } of hook.bodies()) expect(body).not.toMatch(/eyJ[\w-]+\.|a secret of the upstream/);
    // Each can be asked for by its name.
    const names = [...new Set(heard().map(({ type }) => type))];
    const wish = { scope: organization, url: receiver.url('/named'), eventTypes: names, outcomes: ['ok', 'refused'] };
    dataOf(await owner.client.post('/api/webhooks', wish, owner.token));
  });
});
