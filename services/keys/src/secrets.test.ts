import { createPrivateKey } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { createEnvelope } from '@tessera/kernel/guard';
import { topics } from '@tessera/kernel/notices';
import { contextOf } from './signing/key-pair.ts';
import { startTestStack, type TestStack } from './testing/service.ts';

/** Gathers what a service shows while it works, and searches it for secrets. */
const stack = await startTestStack();
afterAll(() => stack.stop());

test('no private key and no secret is in a log line, a response, a notice or unsealed in the database', async () => {
  const admin = await stack.database.connect();
  const notices: string[] = [];
  admin.on('notification', ({ payload }) => notices.push(payload ?? ''));
  for (const { subject } of Object.values(topics)) await admin.query(`LISTEN ${admin.escapeIdentifier(subject)}`);
  const answers: string[] = [];
  const ask = async (...request: Parameters<TestStack['request']>) => {
    const response = await stack.request(...request);
    answers.push(response.text, JSON.stringify([...response.headers]));
    return response;
  };

  const { scope, token, roleId, jwksPath } = await stack.project();
  const query = `scopeId=${scope.id}&tenant=${scope.tenant}`;
  const created = await stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'k', roleId } });
  const { id, clientId, clientSecret } = created.data;
  const exchanged = await stack.request('POST', '/api/auth/token', { body: { clientId, clientSecret, scope } });
  const accessToken = String(exchanged.data['accessToken']);
  const wrongSecret = 'tsk_a-secret-that-was-mistyped-somewhere';
  await ask('POST', '/api/auth/token', { body: { clientId, clientSecret: wrongSecret, scope } });
  await ask('POST', '/api/auth/token', { body: { clientId, clientSecret: { inner: wrongSecret }, scope } });
  await ask('POST', '/api/auth/token', { body: `{"clientSecret":"${wrongSecret}"` });
  await ask('GET', `/api/api-keys?${query}&relations=role`, { token });
  await ask('GET', `/api/signing-keys?${query}`, { token });
  await ask('GET', `/api/api-keys?${query}`, { token: accessToken.slice(0, -5) });

  const privateKeys: string[] = [];
  const { rows } = await admin.query(
    'SELECT kid, private_key AS sealed, encryption_key_id FROM keys.signing_keys WHERE private_key IS NOT NULL',
  );
  const envelope = createEnvelope([Buffer.from(stack.environment.KEYS_ENCRYPTION_KEY, 'base64')]);
  for (const { kid, sealed, encryption_key_id: encryptionKeyId } of rows) {
    const plain = envelope.open({ sealed, encryptionKeyId }, contextOf(kid));
    const { d = '', p = '', q = '' } = createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
    privateKeys.push(d, p, q);
  }
  expect(privateKeys).toHaveLength(12);
  await ask('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised: true } });
  await ask('POST', `/api/api-keys/${id}/revoke`, { token, body: { scope } });
  await ask('GET', jwksPath);
  await ask('GET', '/.well-known/jwks.json');
  // The database dies under a request: what is logged then must not hold its values either.
  await admin.query('ALTER TABLE keys.api_keys RENAME TO api_keys_gone');
  await ask('POST', '/api/api-keys', { token, body: { scope, name: 'k', roleId } });
  await admin.query('ALTER TABLE keys.api_keys_gone RENAME TO api_keys');
  await new Promise((resolve) => setTimeout(resolve, 700));

  const { rows: tables } = await admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'keys'::regnamespace AND relkind = 'r'`,
  );
  const dump: string[] = [];
  for (const { name } of tables) {
    const { rows: all } = await admin.query(`SELECT t::text AS row FROM keys.${name} t`);
    dump.push(...all.map(({ row }) => row));
  }

  const seen = [...stack.lines, ...answers, ...notices, ...dump].join('\n');
  // There is something to search.
  expect(stack.lines.length).toBeGreaterThan(0);
  expect(notices.length).toBeGreaterThan(0);
  expect(dump.length).toBeGreaterThan(10);
  const secrets = [
    String(clientSecret),
    wrongSecret,
    accessToken,
    token,
    stack.secret,
    stack.environment.KEYS_ENCRYPTION_KEY,
    ...privateKeys,
  ];
  for (const secret of secrets) {
    const spellings = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret, 'base64url').toString('hex'),
      Buffer.from(secret, 'base64url').toString('base64'),
    ];
    for (const spelling of spellings) expect(!seen.includes(spelling)).toStrictEqualFor(`found ${secret.slice(0, 6)}…`, true);
  }
  expect(seen).not.toContain('PRIVATE KEY');
});
