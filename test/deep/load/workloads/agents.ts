import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVerifier } from '../../../../packages/verifier/src/index.ts';
import { createApplication } from '../../../../services/rbac/src/testing/application.ts';
import { createClient } from '../../../support/client.ts';
import { credentials, data, signIn } from '../../../support/load/tenant.ts';
import { median } from '../drive.ts';
import type { HttpTarget } from '../http.ts';
import { steady } from '../race.ts';
import type { Result } from '../report.ts';
import { compareRequests, type Workload } from '../workload.ts';

type Bench = Parameters<Workload['run']>[0];
type Credentials = { readonly clientId: string; readonly clientSecret: string };
type Form = Readonly<Record<string, string>>;
/** Where the person signs in to the app, in their browser. */
type Place = { readonly issuer: string; readonly books: Credentials; readonly cookie: string };

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const redirectUri = 'https://books.example/signed-in';
const scope = 'invoice:read invoice:pay';
const ends = 20;
const form = 'application/x-www-form-urlencoded';

export const agents: Workload = {
  name: 'agents',
  about: 'a token exchange, a decision with an actor and a request with a DPoP proof beside those without, and how soon an agent ends',
  run: async (bench) => {
    const world = await createWorld(bench);
    return [...(await exchanges(bench, world)), ...(await requests(bench, world)), ...(await endings(bench, world))];
  },
};

/** A person of a project, an app that signs them in, and a machine app that may act for it. */
async function createWorld({ stack, tenant }: Bench) {
  const { client, owner, organizationId, projectId } = tenant;
  const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` } as const;
  const issuer = `${stack.url}/org/${organizationId}/prj/${projectId}`;
  // Apps are made after a fresh sign-in only.
  Object.assign(owner, await signIn(client, owner.email));
  const post = async (path: string, body: object) => data(await client.post(path, { scope: project, ...body }, owner.token));
  const slug = { name: 'Invoice', slug: 'invoice', actions: ['read', 'pay'], createPermissions: true };
  const { permissions } = await post('/api/resources', slug);
  const group = await post('/api/groups', { name: 'clerks', permissionIds: permissions.map(({ id }: { id: string }) => id) });
  const role = await post('/api/roles', { name: 'Clerk', groupIds: [group.id] });
  data(await client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [role.id] }, owner.token));
  const grantTypes = ['client_credentials', exchangeGrant];
  const agent: Credentials = await post('/api/project-apps', { name: 'Agent', type: 'machine', roleId: role.id, grantTypes });
  const signsIn = { redirectUris: [redirectUri], scopes: scope.split(' '), isFirstParty: true, mayAct: [agent.clientId] };
  const books: Credentials = await post('/api/project-apps', { name: 'Books', type: 'web', ...signsIn });
  const login = await createClient(stack.url, 'a browser').post('/api/auth/login', credentials(owner.email));
  const session: string = data(login).accessToken;
  const cookie = [login.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]);
  const world = { issuer, agent, books, session, cookie: cookie.join('; ') };
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { privateKey, jwk: publicKey.export({ format: 'jwk' }) };
  const bound = await signInToBooks(world, { dpop: proofOf(key, 'POST', `${issuer}/oauth/token`) });
  return { ...world, key, bound, token: await signInToBooks(world) };
}
type World = Awaited<ReturnType<typeof createWorld>>;

function basic({ clientId, clientSecret }: Credentials) {
  return { 'content-type': form, authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

async function tokenOf({ issuer }: Pick<Place, 'issuer'>, client: Credentials, fields: Form, headers: Form = {}): Promise<string> {
  const init = { method: 'POST', headers: { ...basic(client), ...headers }, body: new URLSearchParams(fields) };
  const answer = await fetch(`${issuer}/oauth/token`, init);
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`no token: ${answer.status}`);
  return token;
}

async function signInToBooks(world: Place, headers: Form = {}): Promise<string> {
  const { issuer, books, cookie } = world;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const request = { client_id: books.clientId, redirect_uri: redirectUri, response_type: 'code', scope, state: randomUUID() };
  const query = new URLSearchParams({ ...request, code_challenge: challenge, code_challenge_method: 'S256' });
  const answer = await fetch(`${issuer}/oauth/authorize?${query}`, { headers: { cookie, 'user-agent': 'a browser' }, redirect: 'manual' });
  const code = new URL(answer.headers.get('location') ?? redirectUri).searchParams.get('code') ?? '';
  return tokenOf(world, books, { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }, headers);
}

function exchangeFields(token: string): Form {
  return { grant_type: exchangeGrant, subject_token: token, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
}

type Key = { readonly privateKey: KeyObject; readonly jwk: object };

/** RFC 9449 section 4.2, for one request. */
function proofOf({ privateKey, jwk }: Key, htm: string, htu: string, token?: string): string {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const claims = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1_000), ...ath };
  const input = [{ typ: 'dpop+jwt', alg: 'ES256', jwk }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(input.join('.')), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input.join('.')}.${signature.toString('base64url')}`;
}

async function exchanges({ stack, pace, processes }: Bench, { issuer, agent, token }: World): Promise<readonly Result[]> {
  const servers = processes('gateway', 'identity', 'keys', 'rbac', 'tenancy', 'postgres');
  const side = (name: string, fields: Form) => ({
    name,
    processes: servers,
    target: {
      origin: stack.url,
      method: 'POST',
      path: new URL(`${issuer}/oauth/token`).pathname,
      headers: { 'user-agent': 'bench', ...basic(agent) },
      body: new URLSearchParams(fields).toString(),
    } satisfies HttpTarget,
  });
  return compareRequests(steady(pace), {
    workload: 'token exchange',
    measured: side('token exchange', exchangeFields(token)),
    floor: side('client_credentials of the same app', { grant_type: 'client_credentials' }),
    latency: {},
    note: 'a machine app exchanges the token of one person, 64 at a time: they wait for each other, because each locks the row that the app acts for the person',
  });
}

async function requests({ stack, pace, processes }: Bench, world: World): Promise<readonly Result[]> {
  const { agent, token, bound, key } = world;
  const child = await tokenOf(world, agent, exchangeFields(token));
  const path = '/api/auth/is-authorized';
  const servers = processes('gateway', 'rbac', 'keys', 'identity', 'tenancy', 'postgres');
  const side = (name: string, headers: HttpTarget['headers'] = {}) => ({
    name,
    processes: servers,
    target: {
      origin: stack.url,
      method: 'POST',
      path,
      headers,
      forbidden: '"authorized":false',
      body: JSON.stringify({ permission: { resource: 'invoice', action: 'read' } }),
    } satisfies HttpTarget,
  });
  const bearer = (value: string) => ({ 'user-agent': 'bench', authorization: `Bearer ${value}` });
  const proven = () => ({
    'user-agent': 'bench',
    authorization: `DPoP ${bound}`,
    dpop: proofOf(key, 'POST', `${stack.url}${path}`, bound),
  });
  return [
    ...(await compareRequests(steady(pace), {
      workload: 'decision with an actor',
      measured: side('a token by exchange', bearer(child)),
      floor: side('the token of the person', bearer(token)),
      latency: {},
      note: 'REST is-authorized, warm: the person and the role of the machine app are asked',
    })),
    ...(await compareRequests(steady(pace), {
      workload: 'request with a DPoP proof',
      measured: side('a bound token', proven),
      floor: side('the token as Bearer', bearer(token)),
      latency: {},
      note: 'REST is-authorized, warm: a new proof for each request, which is verified and remembered; the client signs it',
    })),
  ];
}

/** From the end of an agent by the person to the first refusal of its token, at each door. */
async function endings(bench: Bench, world: World): Promise<readonly Result[]> {
  const { stack, tenant } = bench;
  const { agent, issuer, session, token } = world;
  const client = createClient(stack.url, 'bench');
  const { organizationId, projectId, owner } = tenant;
  const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const asks = data(await client.post('/api/roles', { scope: project, name: 'Asks' }, owner.token));
  const apiKey = data(await client.post('/api/api-keys', { scope: project, name: 'asks', roleId: asks.id }, owner.token));
  const { clientId, clientSecret } = apiKey;
  const key: string = data(await client.post('/api/auth/token', { clientId, clientSecret, scope: project })).accessToken;
  const application = createApplication(stack.doors('rbac').grpcUrl);
  const permission = { resource: 'invoice', action: 'read' };
  const query = 'query ($input: IsAuthorizedInput!) { isAuthorized(input: $input) { authorized } }';
  const introspection = { ...agent, maxAgeMs: 0 };
  const verifier = createVerifier({ issuers: [issuer], audience: agent.clientId, types: ['projectApp'], introspection });
  const doors: Readonly<Record<string, (child: string) => Promise<boolean>>> = {
    REST: async (child) => (await client.post('/api/auth/is-authorized', { permission }, child)).status === 200,
    GraphQL: async (child) => (await client.graphql(query, { input: { permission } }, child)).body.data?.isAuthorized?.authorized === true,
    gRPC: async (child) => (await application.isAuthorized(key, { ...permission, userToken: child })).authorized === true,
    'a verifier that asks the issuer': (child) =>
      verifier.verify(child).then(
        () => true,
        () => false,
      ),
  };
  const times: Record<string, number[]> = {};
  try {
    for (let round = 0; round < ends; round += 1) {
      const child = await tokenOf(world, agent, exchangeFields(token));
      for (const [door, isOpen] of Object.entries(doors)) if (!(await isOpen(child))) throw new Error(`${door} refuses the agent`);
      const since = performance.now();
      data(await client.delete(`/api/me/agents/${agent.clientId}`, session));
      await Promise.all(
        Object.entries(doors).map(async ([door, isOpen]) => {
          while (await isOpen(child)) await sleep(2);
          times[door] = [...(times[door] ?? []), performance.now() - since];
        }),
      );
      data(await client.post(`/api/me/agents/${agent.clientId}/allow`, {}, session));
    }
  } finally {
    application.close();
  }
  return Object.entries(times).map(([door, all]) => ({
    workload: `an agent is ended: refused by ${door}`,
    unit: 'ms at the latest',
    measured: Math.max(...all),
    promise: { atMost: 1_000 },
    failures: 0,
    note: `median ${median(all).toFixed(0)} ms of ${all.length}; counted from before the request that ends it`,
  }));
}
