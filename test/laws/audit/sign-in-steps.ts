/** Sign-ins, second factors, methods and consents: each mutation once, built on the ones before. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { createAuthenticator } from '../../../services/identity/src/testing/authenticator.ts';
import { codeOf } from '../../../services/identity/src/testing/factors.ts';
import { claimsOf } from '../../../services/identity/src/testing/service.ts';
import { createClient } from '../../support/client.ts';
import type { SystemStack } from '../../support/shared-stack.ts';
import { builtInRole, createPerson, dataOf, PASSWORD, type Person, type World } from '../../support/world.ts';
import { cookieHeader, keepCookies, type Steps, stepDevice } from './step.ts';

const emailLogin = (providerId: string) => ({ provider: 'email', providerId, providerData: { password: PASSWORD } });

export async function signInSteps(stack: SystemStack, world: World, database: pg.Client): Promise<Steps> {
  const people = await Promise.all([createPerson(stack), createPerson(stack), createPerson(stack)]);
  const [factored, linked, browsing] = people;
  const parts = [
    registering(stack, browsing),
    await secondFactors(stack, factored, database),
    await methods(linked, database),
    await interactions(stack, browsing),
    await programs(world, linked, database),
  ];
  return Object.assign({}, ...parts);
}

function registering(stack: SystemStack, person: Person): Steps {
  const elsewhere = createClient(stack.url, 'another device');
  return {
    register: {
      input: () => ({ name: 'Newcomer', ...emailLogin(`${randomUUID()}@example.com`) }),
      actorId: ({ account }) => account.ownerId,
    },
    revokeMySession: {
      input: async () => {
        const { accessToken } = dataOf(await elsewhere.post('/api/auth/login', emailLogin(person.email)));
        return { id: claimsOf(accessToken)['jti'] };
      },
      as: person,
    },
  };
}

async function secondFactors(stack: SystemStack, person: Person, database: pg.Client): Promise<Steps> {
  const { client, email, userId: actorId } = person;
  const { factor, secret } = dataOf(await client.post('/api/me/second-factors/totp', {}, person.token));
  const authenticator = createAuthenticator(stack.url);
  const post = async (path: string, body: object, token?: string) => dataOf(await client.post(path, body, token));
  // A session that has confirmed its factor gets its level with the next token.
  let raised: Promise<string> | undefined;
  const token = () => {
    raised ??= post('/api/auth/refresh', { refreshToken: person.refreshToken }).then(({ accessToken }) => accessToken);
    return raised;
  };
  const firstFactor = async (): Promise<string> => (await post('/api/auth/login', emailLogin(email))).secondFactor.token;
  return {
    confirmSecondFactor: {
      input: () => ({ id: factor.id, code: codeOf(secret, -1) }),
      as: person,
      changes: () => [['isConfirmed', false, true]],
    },
    renewRecoveryCodes: { input: () => ({}), as: person, token },
    createPasskey: {
      input: async () => {
        const options = await post('/api/me/passkeys/options', {}, await token());
        return { name: 'Laptop', credential: authenticator.create(options) };
      },
      as: person,
      token,
      keep: 'passkey',
      changes: () => [
        ['kind', null, 'passkey'],
        ['name', null, 'Laptop'],
      ],
    },
    getSecondFactorOptions: { input: async () => ({ token: await firstFactor() }), actorId },
    completeSecondFactor: { input: async () => ({ token: await firstFactor(), method: 'totp', code: codeOf(secret) }), actorId },
    loginWithPasskey: {
      input: async () => ({ credential: authenticator.get(await post('/api/auth/passkey/options', {})) }),
      actorId,
    },
    deleteSecondFactor: {
      input: ({ passkey: id }) => ({ id }),
      as: person,
      token,
      changes: () => [
        ['kind', 'passkey', null],
        ['name', 'Laptop', null],
      ],
    },
    startRecovery: { input: async () => ({ token: await firstFactor() }), actorId },
    finishRecovery: {
      // The wait is over, and the link has come: its mail is the job's.
      input: async () => {
        const link = randomBytes(32).toString('base64url');
        const hash = createHash('sha256').update(link).digest();
        await database.query('UPDATE identity.account_recoveries SET due_at = now(), next_mail_at = NULL WHERE user_id = $1', [actorId]);
        await database.query('INSERT INTO identity.account_recovery_links VALUES ($1, $2, $3)', [hash, actorId, email]);
        return { token: link };
      },
      actorId,
    },
  };
}

/** A person who came by a provider adds a password, makes it primary, and drops the provider. */
async function methods(person: Person, database: pg.Client): Promise<Steps> {
  const { rows } = await database.query<{ id: string }>(
    `UPDATE identity.authentication_methods SET provider = 'codehost', provider_id = $1, provider_data = '{}' WHERE user_id = $2 RETURNING id`,
    [randomUUID(), person.userId],
  );
  const provided = rows[0]?.id;
  return {
    createMyAuthenticationMethod: {
      input: () => emailLogin(`${randomUUID()}@example.com`),
      as: person,
      keep: 'method',
      changes: () => [['provider', null, 'email']],
    },
    setMyPrimaryAuthenticationMethod: {
      input: ({ method: id }) => ({ id }),
      as: person,
      changes: () => [['isPrimary', false, true]],
    },
    deleteMyAuthenticationMethod: { input: () => ({ id: provided }), as: person, changes: () => [['provider', 'codehost', null]] },
  };
}

/** A command line asks for a sign-in, and its person answers in a browser. */
async function interactions(stack: SystemStack, { email, userId: actorId }: Person): Promise<Steps> {
  const browser = createClient(stack.url, stepDevice);
  const cookies = new Map<string, string>();
  keepCookies(cookies, await browser.call('POST', '/api/auth/login', { body: emailLogin(email), headers: cookieHeader(cookies) }));
  const asked = await fetch(`${stack.url}/oauth/device`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'tessera-cli', scope: 'openid email' }),
  });
  const { user_code: userCode } = Object(await asked.json());
  return {
    enterDeviceCode: { input: () => ({ userCode }), cookies, keep: 'interaction', actorId },
    continueInteraction: { input: ({ interaction: id }) => ({ id, action: 'deny' }), cookies, actorId },
  };
}

/** Keys and apps of a project, and what people allowed them. */
async function programs({ owner, organization, project, ids }: World, person: Person, database: pg.Client): Promise<Steps> {
  const id = ids['ProjectApp'];
  const apps = await database.query<{ client_id: string }>('SELECT client_id FROM identity.project_apps WHERE id = $1', [id]);
  const clientId = apps.rows[0]?.client_id;
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const key = dataOf(await owner.client.post('/api/api-keys', { scope: project, name: 'Robot', roleId }, owner.token));
  const allow = (userId: string) =>
    database.query(`INSERT INTO identity.project_app_consents VALUES ($1, $2, '{openid}', now(), now())`, [userId, id]);
  await Promise.all([owner.userId, person.userId].map(allow));
  const insert = `INSERT INTO identity.acting_apps (user_id, project_app_id, place_id, root_id, first_used_at, last_used_at, is_by_exchange)
    VALUES ($1, $2, $3, $4, now(), now(), true)`;
  const fields = { scope: project, name: 'Agent', type: 'web', redirectUris: ['https://agent.example.com/'] };
  const agent = dataOf(await owner.client.post('/api/project-apps', fields, owner.token));
  const act = (userId: string) => database.query(insert, [userId, agent.id, project.id, organization.id]);
  await Promise.all([owner.userId, person.userId].map(act));
  return {
    exchangeApiKey: {
      input: () => ({ clientId: key.clientId, clientSecret: key.clientSecret, scope: project }),
      actorId: owner.userId,
      scope: project,
    },
    requestMagicLink: {
      input: () => ({ client_id: clientId, redirect_uri: 'https://app.example.com/callback', email: `${randomUUID()}@example.com` }),
    },
    deleteMyAgent: { input: () => ({ clientId: agent.clientId }), as: person },
    allowMyAgent: { input: () => ({ clientId: agent.clientId }), as: person },
    deleteAgent: { input: () => ({ scope: organization, clientId: agent.clientId, userId: owner.userId }), scope: organization },
    allowAgent: { input: () => ({ scope: organization, clientId: agent.clientId, userId: owner.userId }), scope: organization },
    deleteMyConsent: { input: () => ({ clientId }), as: person },
    deleteProjectAppConsent: { input: () => ({ scope: project, id, userId: owner.userId }), scope: project },
  };
}
