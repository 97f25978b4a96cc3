import { argon2Sync, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import bcrypt from 'bcrypt';
import { until, waitingForMe } from '../../../../../../test/support/until.ts';
import { goodPassword, login, type Registered, registered, startIdentity } from '../../../testing/service.ts';

const service = await startIdentity();
afterAll(() => service.stop());

async function administrator(of = service): Promise<Registered> {
  const person = await registered(of, { name: 'operator' });
  await of.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [person.userId]);
  return person;
}
const operator = await administrator();

function send(users: readonly unknown[], token = operator.accessToken) {
  return service.ask('POST', '/api/platform/users/import', { token, body: { users } });
}
const addressOf = (name: string) => `${name}.${newId()}@example.com`;
const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function phc(algorithm: 'argon2' | 'scrypt' | 'pbkdf2', password: string): string {
  const salt = randomBytes(16);
  if (algorithm === 'scrypt')
    return `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 }))}`;
  if (algorithm === 'pbkdf2') return `$pbkdf2-sha512$i=1000$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 1_000, 64, 'sha512'))}`;
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, parallelism: 1, tagLength: 32, memory: 1_024, passes: 2 });
  return `$argon2id$v=19$m=1024,t=2,p=1$${base64(salt)}$${base64(tag)}`;
}

async function storedHash(email: string): Promise<string | undefined> {
  const text = sql(`SELECT provider_data ->> 'passwordHash' AS hash FROM authentication_methods WHERE provider_id = $1`);
  return (await service.database.query<{ hash: string }>(text, [email]))[0]?.hash;
}

describe('an import of people', () => {
  test('is for platform administrators alone, in sessions, and ends with the role', async () => {
    const other = await registered(service);
    const row = { email: addressOf('grace') };
    const [refused, anonymous] = [
      await send([row], other.accessToken),
      await service.ask('POST', '/api/platform/users/import', { body: {} }),
    ];
    expect([refused.status, refused.body.code, anonymous.status]).toStrictEqual([403, 'FORBIDDEN', 401]);
    const former = await administrator();
    expect((await send([row], former.accessToken)).status).toBe(200);
    await service.database.query(sql('DELETE FROM platform_administrators WHERE user_id = $1'), [former.userId]);
    expect((await send([row], former.accessToken)).status).toBe(403);
  });

  test('is not for an administrator without a verified address, and asks one who has a second factor for it', async () => {
    const person = await registered(service, { verified: false });
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [person.userId]);
    expect((await send([{ email: addressOf('x') }], person.accessToken)).body.code).toBe('EMAIL_VERIFICATION_REQUIRED');
    const secured = await administrator();
    await service.database.query(
      sql(`INSERT INTO second_factors (id, user_id, kind, name, is_confirmed, secret, sealed_with, created_at, updated_at)
           VALUES (gen_random_uuid(), $1, 'totp', 'app', true, '\\x00', 'none', now(), now())`),
      [secured.userId],
    );
    expect((await send([{ email: addressOf('x') }], secured.accessToken)).body.code).toBe('SECOND_FACTOR_REQUIRED');
  });

  test.each([
    ['bcrypt', async () => bcrypt.hash(goodPassword, 4)],
    ['bcrypt of PHP', async () => (await bcrypt.hash(goodPassword, 4)).replace('$2b$', '$2y$')],
    ['argon2', async () => phc('argon2', goodPassword)],
    ['scrypt', async () => phc('scrypt', goodPassword)],
    ['pbkdf2', async () => phc('pbkdf2', goodPassword)],
  ])('signs people in with their hash of %s, which the first sign-in replaces', async (name, make) => {
    const email = addressOf('imported');
    const passwordHash = await make();
    const [algorithm] = name.split(' ');
    const { body } = await send([{ email, name: 'Ada', passwordHash, hashAlgorithm: algorithm, emailVerified: true, externalId: newId() }]);
    expect(body.data.counts).toStrictEqual({ created: 1, exists: 0, skipped: 0, invalid: 0 });
    expect(await storedHash(email)).toBe(`imported:${passwordHash}`);
    const wrong = { provider: 'email', providerId: email, providerData: { password: `${goodPassword}x` } };
    expect((await service.ask('POST', '/api/auth/login', { body: wrong })).status).toBe(401);
    expect(await storedHash(email)).toBe(`imported:${passwordHash}`);
    const signedIn = await login(service, email);
    expect([signedIn.status, signedIn.body.data.accounts.length, signedIn.body.data.requiresEmailVerification]).toStrictEqual([
      200,
      1,
      false,
    ]);
    expect(await storedHash(email)).toMatch(/^[0-9a-f]{8}\$2b\$/);
    expect((await login(service, email)).status).toBe(200);
  });

  test('makes people as registrations do: with an account and the event, and audited', async () => {
    const [email, externalId] = [addressOf('grace'), newId()];
    const { body } = await send([{ email: email.toUpperCase(), externalId, metadata: { plan: 'pro' } }]);
    const { userId } = body.data.items[0];
    expect(body.data.items).toStrictEqual([{ index: 0, externalId, email: email.toUpperCase(), status: 'created', userId }]);
    // The payload is cleared with its delivery.
    const events = await service.database.query(sql(`SELECT FROM outbox WHERE type = 'users.imported' AND key = $1`), [userId]);
    expect(events).toHaveLength(1);
    const [person] = await service.database.query<object>(sql('SELECT metadata, accounts FROM users WHERE id = $1'), [userId]);
    expect(person).toMatchObject({ metadata: { plan: 'pro' }, accounts: [{ ownerId: userId, type: 'personal' }] });
    const rows = await service.database.query<{ action: string; actor_id: string; target_id: string | null }>(
      sql(
        `SELECT action, actor_id, target_id FROM audit_log WHERE operation = 'importUsers' AND at >= (SELECT created_at FROM users WHERE id = $1) ORDER BY action`,
      ),
      [userId],
    );
    expect(rows).toStrictEqual([
      { action: 'platform.users-imported', actor_id: operator.userId, target_id: null },
      { action: 'user.imported', actor_id: operator.userId, target_id: userId },
    ]);
  });

  test('stops as a whole when one of its addresses is proven at the same moment; the same rows go through afterwards', async () => {
    const prover = await registered(service);
    const rows = [{ email: addressOf('raced'), emailVerified: true }, { email: addressOf('beside') }];
    let sent: ReturnType<typeof send> | undefined;
    await service.database.transaction(async (tx) => {
      await tx.execute(sql('UPDATE authentication_methods SET email = $1 WHERE user_id = $2'), [rows[0]?.email, prover.userId]);
      sent = send(rows);
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
    });
    const answer = await sent;
    expect([answer?.status, answer?.body.translationKey]).toStrictEqual([409, 'errors.import.again']);
    expect((await send(rows)).body.data.counts).toMatchObject({ created: 1, skipped: 1 });
  });

  test('makes each person once, whatever runs again, twice in a batch or at the same moment', async () => {
    const rows = Array.from({ length: 30 }, () => ({ email: addressOf('once'), externalId: newId() }));
    const first = await send([...rows.slice(0, 20), ...rows.slice(0, 2)]);
    expect(first.body.data.counts).toStrictEqual({ created: 20, exists: 2, skipped: 0, invalid: 0 });
    const parallel = await Promise.all([send(rows), send(rows.toReversed()), send(rows)]);
    const made = parallel.map(({ body }) => body.data.counts.created);
    expect(made.reduce((sum, count) => sum + count)).toBe(10);
    const again = (await send(rows)).body.data;
    expect(again.counts).toStrictEqual({ created: 0, exists: 30, skipped: 0, invalid: 0 });
    expect(again.items[0].userId).toBe(first.body.data.items[0].userId);
  });

  test('skips an address that belongs to a person, and keeps that person as it is', async () => {
    const known = await registered(service);
    const unverified = await registered(service, { verified: false });
    const before = await storedHash(known.email);
    const passwordHash = await bcrypt.hash('Stolen7!Word', 4);
    const rows = [known.email, known.email.toUpperCase(), unverified.email].map((email) => ({
      email,
      passwordHash,
      hashAlgorithm: 'bcrypt',
    }));
    const { items } = (await send(rows)).body.data;
    expect(items.map(({ status }: { status: string }) => status)).toStrictEqual(['skipped', 'skipped', 'skipped']);
    expect(items.map(({ userId }: { userId?: string }) => userId)).toStrictEqual([undefined, undefined, undefined]);
    expect(await storedHash(known.email)).toBe(before);
    expect((await login(service, unverified.email)).status).toBe(200);
  });

  test('goes on behind bad rows, and says of each what is wrong without its values', async () => {
    const good = addressOf('good');
    const rows = [
      {},
      { email: 'no address' },
      { email: 7 },
      { email: addressOf('a'), emailVerified: 'yes' },
      { email: addressOf('b'), passwordHash: 'hunter2-in-plain', hashAlgorithm: 'bcrypt' },
      {
        email: addressOf('c'),
        passwordHash: '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub',
        hashAlgorithm: 'argon2',
      },
      { email: addressOf('d'), passwordHash: `$2b$10$${'a'.repeat(53)}` },
      { email: addressOf('e'), hashAlgorithm: 'md5' },
      { email: addressOf('f'), passwordhash: 'x' },
      { email: addressOf('g'), metadata: [] },
      { email: addressOf('h'), externalId: '' },
      { email: good, name: null, externalId: null },
    ];
    const answer = await send(rows);
    expect(answer.body.data.counts).toStrictEqual({ created: 1, exists: 0, skipped: 0, invalid: 11 });
    const reasons = answer.body.data.items.map(({ reason }: { reason?: string }) => reason);
    expect(reasons.slice(0, 11).every((reason: unknown) => typeof reason === 'string' && reason.length > 5)).toBe(true);
    expect(reasons[0]).toBe('email is required');
    expect(reasons[5]).toContain('m=4194304');
    expect(answer.body.data.items[11]).toMatchObject({ index: 11, email: good, status: 'created' });
    expect(JSON.stringify(answer.body)).not.toContain('hunter2-in-plain');
  });

  test('takes 500 rows at most, and nothing that is no row', async () => {
    expect((await send(Array.from({ length: 501 }, () => ({ email: 'a@example.com' })))).status).toBe(400);
    expect((await send([])).status).toBe(400);
    expect((await send([null])).status).toBe(400);
  });

  test('through GraphQL too', async () => {
    const email = addressOf('graph');
    const text =
      'mutation($input: ImportUsersInput!) { importUsers(input: $input) { items { index email status userId reason } counts { created invalid } } }';
    const variables = { input: { users: [{ email }, { email: 'x' }] } };
    const { body } = await service.graphql(text, variables, { token: operator.accessToken });
    expect(body.data.importUsers.counts).toStrictEqual({ created: 1, invalid: 1 });
    expect(body.data.importUsers.items[0]).toMatchObject({ index: 0, email, status: 'created', reason: null });
  });

  test('a refused sign-in takes no less for an imported hash, which is compared sooner, than for an unknown address', async () => {
    await using cleanup = new AsyncDisposableStack();
    const slow = await startIdentity({ TOKEN_BCRYPT_ROUNDS: '8' });
    cleanup.defer(() => slow.stop());
    const [person, { accessToken: token }, imported] = [await registered(slow), await administrator(slow), addressOf('imported')];
    const row = { email: imported, passwordHash: phc('argon2', goodPassword), hashAlgorithm: 'argon2', emailVerified: true };
    await slow.ask('POST', '/api/platform/users/import', { token, body: { users: [row] } });
    for (const providerId of [imported, person.email, addressOf('nobody')]) {
      const startedMs = performance.now();
      const body = { provider: 'email', providerId, providerData: { password: 'Wrong-Horse-41' } };
      const refused = await slow.ask('POST', '/api/auth/login', { body });
      expect([refused.status, refused.body.code]).toStrictEqual([401, 'UNAUTHENTICATED']);
      expect(performance.now() - startedMs).toBeGreaterThan(150);
    }
    expect((await login(slow, imported)).status).toBe(200);
  });
});
