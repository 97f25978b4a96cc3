/**
 * What a sign-in by an organization's provider costs beside one by password: CPU of identity, with
 * the process that reads XML, and the time of our own requests. docs/performance.md has a run.
 */

import { inflateRawSync } from 'node:zlib';
import { afterAll, expect } from '@jest/globals';
import { openSamlIdp, withoutXmlsec } from '../../../services/identity/src/testing/saml-idp.ts';
import { startUpstream, upstreamClient } from '../../../services/identity/src/testing/upstream.ts';
import { createClient } from '../../support/client.ts';
import { openDns } from '../../support/dns.ts';
import { createCustomer } from '../../support/federation/customer.ts';
import { startSignIn } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson, dataOf, PASSWORD } from '../../support/world.ts';
import { cpuSeconds } from '../load/processes.ts';

const rounds = 5;
const signInsOfARound = 12;

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

/** One sign-in: resolves with the milliseconds of our own requests. */
type Way = () => Promise<number>;

async function timed<T>(work: () => Promise<T>, spent: { ms: number }): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  spent.ms += performance.now() - startedAt;
  return result;
}
const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

testUnless(withoutXmlsec)('a sign-in by a provider costs identity less CPU than one by password', async () => {
  const dns = await openDns();
  cleanup.defer(() => dns.close());
  // As in production: the cost of passwords is what is compared.
  const env = { DOMAINS_DNS_SERVERS: dns.server, WEBHOOK_ALLOW_PRIVATE: 'true', TOKEN_BCRYPT_ROUNDS: '10' };
  const signIns = await startSignIn({ env });
  cleanup.defer(signIns.close);
  const { stack } = signIns;
  const pid = stack.stack.processes['identity']?.pid ?? 0;

  const customer = await createCustomer(stack, dns);
  const upstream = await startUpstream();
  cleanup.defer(() => upstream.stop());
  const openid = await customer.connect({ type: 'oidc', oidc: { issuer: upstream.issuer, ...upstreamClient } });
  upstream.register([openid.callbackUrl]);
  await customer.change(openid.id, { status: 'active' });
  const idp = openSamlIdp(cleanup);
  const saml = await customer.connect({ type: 'saml' });
  await customer.change(saml.id, { saml: { metadataXml: idp.metadata('https://idp.birch.example/sso') }, status: 'active' });
  const ann = { sub: 'ann', name: 'Ann Birch', email: `ann@${customer.domain}`, email_verified: true };

  const person = await createPerson(stack);
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  const byPassword: Way = async () => {
    const spent = { ms: 0 };
    dataOf(await timed(() => createClient(stack.url, `device ${Math.random()}`).post('/api/auth/login', credentials), spent));
    return spent.ms;
  };
  const start = (id: string) => `/api/auth/connections/${id}?action=login`;
  async function finish(browser: ReturnType<typeof signIns.openBrowser>, at: URL, spent: { ms: number }) {
    const { location } = await timed(() => browser.get(at), spent);
    const code = location.searchParams.get('code') ?? '';
    const first = await timed(() => browser.post('/api/auth/cli-callback', { code }), spent);
    const { continueAs } = dataOf(first);
    // A page of Tessera did not begin it: as a person who goes on.
    if (continueAs) dataOf(await timed(() => browser.post('/api/auth/cli-callback', { code: continueAs.code, isConfirmed: true }), spent));
  }
  const byOpenid: Way = async () => {
    const [browser, spent] = [signIns.openBrowser(), { ms: 0 }];
    const { location } = await timed(() => browser.get(start(openid.id)), spent);
    await finish(browser, await upstream.approve(location, ann), spent);
    return spent.ms;
  };
  const bySaml: Way = async () => {
    const [browser, spent] = [signIns.openBrowser(), { ms: 0 }];
    const { location } = await timed(() => browser.get(start(saml.id)), spent);
    const request = inflateRawSync(Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    const inResponseTo = / ID="([^"]+)"/.exec(request)?.[1] ?? '';
    const attributes = { email: [`bob@${customer.domain}`], displayName: ['Bob Birch'] };
    const xml = idp.respond({ acsUrl: saml.acsUrl, audience: saml.spEntityId, inResponseTo, nameId: 'bob', attributes });
    const body = new URLSearchParams({
      SAMLResponse: Buffer.from(xml).toString('base64'),
      RelayState: location.searchParams.get('RelayState') ?? '',
    });
    const answer = await timed(() => fetch(saml.acsUrl, { method: 'POST', body, redirect: 'manual' }), spent);
    await finish(browser, new URL(answer.headers.get('location') ?? ''), spent);
    return spent.ms;
  };

  const ways = { password: byPassword, openid: byOpenid, saml: bySaml };
  const found = {
    password: { cpu: [] as number[], wall: [] as number[] },
    openid: { cpu: [] as number[], wall: [] as number[] },
    saml: { cpu: [] as number[], wall: [] as number[] },
  };
  // The first ones make people, and warm up.
  for (const way of Object.values(ways)) for (let i = 0; i < 3; i += 1) await way();
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['password', 'openid', 'saml'] as const) {
      const before = cpuSeconds(pid);
      for (let i = 0; i < signInsOfARound; i += 1) found[name].wall.push(await ways[name]());
      found[name].cpu.push(((cpuSeconds(pid) - before) * 1_000) / signInsOfARound);
    }
  const result = Object.fromEntries(
    Object.entries(found).map(([name, { cpu, wall }]) => [
      name,
      { cpuMs: Number(median(cpu).toFixed(1)), wallMs: Number(median(wall).toFixed(1)) },
    ]),
  );
  process.stdout.write(`one sign-in, medians of ${rounds * signInsOfARound}: ${JSON.stringify(result)}\n`);
  expect(result['openid']?.cpuMs).toBeLessThan(result['password']?.cpuMs ?? 0);
  expect(result['saml']?.cpuMs).toBeLessThan(result['password']?.cpuMs ?? 0);
});
