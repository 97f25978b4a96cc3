import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Answer, createClient } from '../support/client.ts';
import { noteSecret } from '../support/evidence.ts';
import { sharedStack } from '../support/stack.ts';
import { privateNumbersOf, stealKeys, withAdmin } from '../support/stolen-keys.ts';

/** One flow with every kind of secret and many refusals; its output is searched at once. */
const stack = await sharedStack();

function data({ status, body }: Answer) {
  expect(status < 300).toStrictEqualFor(body, true);
  return body.data;
}

test('no password, token, API-key secret or private key stands in a log, a refusal or a database', async () => {
  const client = createClient(stack.url, `secrets ${randomUUID()}`);
  // Never the same thrice nor a sequence, whatever is drawn.
  const password = `Zebra-${Array.from(randomUUID().slice(0, 18)).join('~')}!`;
  const email = `${randomUUID()}@example.com`;
  const credentials = { provider: 'email', providerId: email, providerData: { password } };
  const registered = data(await client.post('/api/auth/register', { name: 'Joan', type: 'personal', ...credentials }));
  const token = String(registered.accessToken);
  const account = { tenant: 'account', id: registered.account.id };
  const project = data(await client.post('/api/projects', { scope: account, name: 'Secret' }, token));
  const scope = { tenant: 'accountProject', id: `${account.id}:${project.id}` };
  const role = data(await client.post('/api/roles', { scope, name: 'Robot' }, token));
  const key = data(await client.post('/api/api-keys', { scope, name: 'k', roleId: role.id }, token));
  const clientSecret = String(key.clientSecret);
  const exchanged = data(await client.post('/api/auth/token', { clientId: key.clientId, clientSecret, scope }));

  // A secret with one wrong character is as sensitive as the secret itself.
  noteSecret('password', `${password}?`);
  noteSecret('API-key secret', `${clientSecret}x`);
  noteSecret('refresh token', `${registered.refreshToken}x`);
  const refusals = [
    await client.post('/api/auth/login', { ...credentials, providerData: { password: `${password}?` } }),
    await client.post('/api/auth/login', { ...credentials, providerData: { password, more: password } }),
    await client.post('/api/auth/register', { name: 'Joan', ...credentials }),
    await client.post('/api/auth/token', { clientId: key.clientId, clientSecret: `${clientSecret}x`, scope }),
    await client.post('/api/auth/token', `{"clientSecret":"${clientSecret}"`),
    await client.post('/api/auth/refresh', { refreshToken: `${registered.refreshToken}x` }),
    await client.get('/api/me', `${token}x`),
    await client.graphql(`mutation { exchangeApiKey(input: { clientSecret: "${clientSecret}" }) { accessToken } }`),
  ];
  expect(refusals.every(({ status, body }) => status >= 400 || body.errors !== undefined)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1_000));

  const seen = [...refusals.map(({ body }) => JSON.stringify(body)), ...logs(stack.dataDir), ...(await dump())];
  const secrets = [
    password,
    token,
    String(registered.refreshToken),
    clientSecret,
    String(exchanged.accessToken),
    ...(await privateNumbers()),
  ];
  expect(secrets.length > 10 && seen.length > 100).toStrictEqualFor(`${secrets.length} secrets, ${seen.length} places`, true);
  const places = seen.join('\n');
  for (const secret of secrets) expect(!places.includes(secret)).toStrictEqualFor(`found: ${secret.slice(0, 8)}…`, true);
  expect(places).not.toContain('PRIVATE KEY');
});

function logs(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Every row of every table of every service, as text. */
function dump(): Promise<string[]> {
  return withAdmin(stack, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname IN ('identity', 'tenancy', 'rbac', 'keys')`,
    );
    const places: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t LIMIT 20000`);
      places.push(...rows.map(({ row }) => row));
    }
    return places;
  });
}

/** The secret numbers of every signing key, each as text and as Postgres writes bytes. */
async function privateNumbers(): Promise<string[]> {
  return (await stealKeys(stack)).flatMap(privateNumbersOf).flatMap((number) => [number, Buffer.from(number, 'base64url').toString('hex')]);
}
