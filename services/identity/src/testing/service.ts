/** The real service on its own database, with fakes of the other services. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createCredentialIssuer, credentialHeader } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { doorPath } from '@tessera/server/lifecycle';
import { CLIENT_ADDRESS_HEADER } from '@tessera/server/rest';
import { Pool } from 'undici';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { noteMail } from '../../../../test/support/stack-evidence.ts';
import { patienceMs } from '../../../../test/support/until.ts';
import { witness } from '../../../../test/support/witness.ts';
import { startIdentity as start } from '../app.ts';
import { readIdentityConfig } from '../config.ts';
import type { Mail } from '../mail/mail.ts';
import { startPeers } from './peers.ts';

export const appUrl = 'http://tessera.test';
export const goodPassword = 'Zq7!xR4?m';

export type Answer = {
  readonly status: number;
  /** Whatever JSON holds: the tests judge its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly cookie: string | undefined;
};
export type Ask = {
  readonly body?: unknown;
  readonly token?: string;
  readonly userAgent?: string;
  readonly ip?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type TestService = Awaited<ReturnType<typeof startIdentity>>;

export async function startIdentity(env: Readonly<Record<string, string>> = {}, clock = () => new Date()) {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const testDatabase = await createTestDatabase({ migrated: ['identity'] });
  const secret = 'a secret that only these tests share';
  const address = (name: string) => `unix:${folder}/${name}.grpc`;
  const config = readIdentityConfig({
    APP_URL: appUrl,
    INTERNAL_AUTH_SECRET: secret,
    IDENTITY_DATABASE_URL: testDatabase.urls.identity,
    IDENTITY_GRPC_URL: address('identity'),
    TENANCY_GRPC_URL: address('tenancy'),
    RBAC_GRPC_URL: address('rbac'),
    KEYS_GRPC_URL: address('keys'),
    HTTP_LISTEN: `unix:${folder}/identity.http`,
    GRPC_LISTEN: address('identity'),
    DATA_DIR: folder,
    TOKEN_BCRYPT_ROUNDS: '4',
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
    ...env,
  });
  const peers = await startPeers(folder, secret, config.APP_URL); // after the configuration: one that is refused leaves nothing running
  const running = await start(config, { clock });
  const database = createDatabase({ url: testDatabase.urls.identity, schema: 'identity', rlsEnabled: false, poolSize: 4 });
  const http = new Pool('http://identity', { socketPath: `${folder}/identity.http`, connections: 64 });
  const credential = createCredentialIssuer(secret, 'gateway');
  const common = { secret, self: 'tenancy', url: address('identity'), timeoutMs: patienceMs };
  const inbox = connect({ ...common, service: 'events.v1.Inbox' });
  const grpc = connect({ ...common, service: 'identity.v1.Identity' });
  const revocations = connect({ ...common, service: 'revocation.v1.Revocations' });

  async function ask(
    method: string,
    path: string,
    { body, token, userAgent = 'test agent', ip = '192.0.2.1', headers = {} }: Ask = {},
  ): Promise<Answer> {
    const response = await http.request({
      method,
      path,
      headers: {
        [credentialHeader]: credential(doorPath('identity')),
        [CLIENT_ADDRESS_HEADER]: ip,
        'user-agent': userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).includes('json');
    const [cookie] = [response.headers['set-cookie']].flat();
    const [status, received] = [response.statusCode, isJson && text !== '' ? JSON.parse(text) : text];
    witness({ method, path, token, sent: body, status, headers: response.headers, body: received });
    return { status, body: received, headers: response.headers, cookie };
  }

  const outboxFolder = join(folder, 'outbox');
  function outbox(): string[] {
    try {
      const files = readdirSync(outboxFolder).filter((name) => name.endsWith('.json'));
      return files.sort().map((name) => readFileSync(join(outboxFolder, name), 'utf8'));
    } catch {
      return [];
    }
  }

  const isOwedMail = async (to: string) =>
    (await database.query(sql('SELECT FROM mail_jobs WHERE recipient = $1 AND done_at IS NULL'), [to])).length > 0;

  const service = {
    peers,
    database,
    databaseUrl: testDatabase.urls.identity,
    outboxFolder,
    ask,
    grpc,
    inbox,
    revocations,
    graphql: (query: string, variables: object = {}, options: Ask = {}) =>
      ask('POST', '/graphql', { ...options, body: { query, variables } }),
    /** The mails to an address, once there are as many. */
    async mails(to: string, count = 1): Promise<Mail[]> {
      for (let tries = 0; ; tries += 1) {
        const found = outbox()
          .map((json): Mail => JSON.parse(json))
          .filter((mail) => mail.to === to);
        if (found.length >= count || (tries >= 150 && !(await isOwedMail(to)))) return found;
        await sleep(20);
      }
    },
    async deliver(type: string, payload: object) {
      const event = { id: newId(), type, key: newId(), payloadJson: JSON.stringify(payload), occurredAt: new Date().toISOString() };
      const { accepted } = await inbox.deliver({ producer: 'tenancy', events: [event] });
      if (accepted.length !== 1) throw new Error(`${type} was not applied`);
    },
    async stop() {
      await http.close();
      for (const client of [inbox, grpc, revocations]) client.close();
      await running.stop();
      await peers.stop();
      await database.close();
      await testDatabase.drop();
      outbox().forEach(noteMail);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  peers.onCloseAccounts = (request) => service.deliver('accounts.closed', request);
  peers.onPersonLeaves = (request) => service.deliver('user.left', request);
  return service;
}

export type Registered = { readonly email: string; readonly userId: string; readonly accessToken: string; readonly refreshToken: string };

export function credentialsOf(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: goodPassword } };
}

/** Signs in a registered person. */
export function login(service: TestService, email: string, device: Ask = {}) {
  return service.ask('POST', '/api/auth/login', { ...device, body: credentialsOf(email) });
}

/** Registers a new person, verified by default. */
export async function registered(
  service: TestService,
  { verified = true, name = 'ada', ...device }: Ask & { verified?: boolean; name?: string } = {},
): Promise<Registered> {
  const email = `${name}.${newId()}@example.com`;
  const { status, body } = await service.ask('POST', '/api/auth/register', { ...device, body: credentialsOf(email) });
  if (status !== 201) throw new Error(`registration failed: ${JSON.stringify(body)}`);
  const userId = body.data.account.ownerId;
  if (!verified) return { email, userId, ...tokensOf(body.data) };
  const [mail] = await service.mails(email);
  // In the session of the account, so that it holds its address.
  const proof = { ...device, token: body.data.accessToken, body: { token: mail?.data.token } };
  const verification = await service.ask('POST', '/api/auth/verify-email', proof);
  if (verification.status !== 200) throw new Error(`verification failed: ${JSON.stringify(verification.body)}`);
  return { email, userId, ...tokensOf((await login(service, email, device)).body.data) };
}

function tokensOf({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }) {
  return { accessToken, refreshToken };
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** Adds a verified method to a person. Returns its id. */
export async function addMethod(service: TestService, userId: string, provider: string): Promise<string> {
  const id = newId();
  const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
    VALUES ($1, $2, $3, $4, true, false, now(), now())`;
  await service.database.query(sql(insert), [id, userId, provider, newId()]);
  return id;
}
