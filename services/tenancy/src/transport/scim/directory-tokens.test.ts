/** A directory that sends one token for months: when it is exchanged, and when it is refused. */
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openDirectory } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

let made = 0;
/** A directory whose service account has such a token. */
async function withToken() {
  const directory = await openDirectory(service);
  const { organizationId, token: accessToken } = directory;
  made += 1;
  const token = `tds_${String(made).padStart(43, 'x')}`;
  const entry = { organizationId, accessToken };
  service.identity.directoryTokens.set(token, entry);
  const exchanges = () => service.identity.calls.filter((name) => name === 'exchangeDirectoryToken').length;
  const ask = async (path = '/Users', headers: Readonly<Record<string, string>> = {}, organization = organizationId) => {
    const { statusCode } = await service.app.inject({
      method: 'GET',
      url: `/scim/v2/${organization}${path}`,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    return statusCode;
  };
  return { ...directory, directoryToken: token, entry, exchanges, ask };
}

test('it is exchanged once for each address, whatever comes at the same time', async () => {
  const { ask, exchanges } = await withToken();
  const before = exchanges();
  expect(await Promise.all([ask(), ask(), ask()])).toStrictEqual([200, 200, 200]);
  expect(await ask()).toBe(200);
  expect(exchanges() - before).toBe(1);
  expect(await ask('/Users', { 'x-tessera-client-ip': '203.0.113.8' })).toBe(200);
  expect(exchanges() - before).toBe(2);
});

test('it opens its own organization alone, and SCIM alone', async () => {
  const [one, other] = [await withToken(), await withToken()];
  expect(await one.ask('/Users', {}, other.organizationId)).toBe(401);
  expect(await one.ask('/Users', {}, newId())).toBe(401);
  const scope = `tenant=organization&scopeId=${one.organizationId}`;
  const headers = { authorization: `Bearer ${one.directoryToken}` };
  for (const url of [`/api/domains?${scope}`, `/api/directory-requests?${scope}`, `/api/organizations/${one.organizationId}`])
    expect((await service.app.inject({ url, headers })).statusCode).toBe(401);
  const question = { query: '{ __typename domains(scope: { tenant: organization }) { totalCount } }' };
  expect((await service.app.inject({ method: 'POST', url: '/graphql', headers, payload: question })).json().data?.domains).toBeFalsy();
});

test('the role is asked for with each request, and a revoked access token is exchanged anew once', async () => {
  const { ask, exchanges, entry, organizationId, accountId } = await withToken();
  expect(await ask()).toBe(200);
  service.rbac.directories.delete(`${organizationId}:${accountId}`);
  expect(await ask()).toBe(403);
  service.rbac.directories.add(`${organizationId}:${accountId}`);
  const before = exchanges();
  const live = entry.accessToken;
  // What the service keeps is refused from now on, and so is the next one.
  entry.accessToken = 'revoked';
  expect(await ask('/Users', { 'x-tessera-client-ip': '203.0.113.9' })).toBe(401);
  expect(exchanges() - before).toBe(1);
  entry.accessToken = live;
  expect(await ask('/Users', { 'x-tessera-client-ip': '203.0.113.9' })).toBe(200);
});

test('after twenty wrong tokens an address waits, for this organization alone; the right one goes on', async () => {
  const { ask, organizationId, exchanges } = await withToken();
  const other = await withToken();
  expect(await ask()).toBe(200);
  const guess = (at: number) => ask('/Users', { authorization: `Bearer tds_${String(at).padStart(43, 'g')}` });
  const answers = [];
  for (let at = 0; at < 22; at += 1) answers.push(await guess(at));
  expect(answers.filter((status) => status === 401)).toHaveLength(20);
  expect(answers.slice(20)).toStrictEqual([429, 429]);
  const before = exchanges();
  expect(await guess(99)).toBe(429);
  expect([await ask(), await other.ask()]).toStrictEqual([200, 200]);
  expect(exchanges() - before).toBe(1);
  expect(await ask('/Users', { 'x-tessera-client-ip': '203.0.113.10' }, organizationId)).toBe(200);
});

test('while identity is away the answer is 503, and it goes on afterwards', async () => {
  const { ask } = await withToken();
  service.identity.isAway = true;
  expect(await ask()).toBe(503);
  service.identity.isAway = false;
  expect(await ask()).toBe(200);
});
