/** The doors at which a person who was deactivated must be refused, each as a question. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { calculatePKCECodeChallenge } from 'openid-client';
import type { createApplication } from '../../../services/rbac/src/testing/application.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { type ConnectedDirectory, personOf } from '../../support/directory.ts';
import type { SystemStack } from '../../support/shared-stack.ts';
import { redirectUri, signInsOn } from '../../support/sign-in.ts';
import { builtInRole, createPerson, dataOf, type Person, signToken } from '../../support/world.ts';

export type World = {
  readonly system: SystemStack;
  readonly owner: Person;
  readonly organization: ScopeValue;
  readonly project: ScopeValue;
  readonly directory: ConnectedDirectory;
  readonly domain: string;
  /** A web app of the project, of the first party. */
  readonly app: { readonly clientId: string; readonly clientSecret: string };
};

const password = 'Correct-Horse-42';

function basic({ clientId, clientSecret }: World['app']) {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

type Tokens = { readonly access_token?: string; readonly refresh_token?: string };

async function postTo({ system, project, app }: World, endpoint: 'token' | 'introspect', form: Readonly<Record<string, string>>) {
  const address = `${issuerOf(system.url, project)}/oauth/${endpoint}`;
  const answer = await fetch(address, { method: 'POST', headers: basic(app), body: new URLSearchParams(form) });
  return { status: answer.status, json: (await answer.json()) as Tokens & { readonly active?: boolean } };
}

/** Signs the person in to the app, in a browser of their own. */
async function signIn(world: World, email: string): Promise<Required<Tokens>> {
  const { system, project, app } = world;
  const browser = signInsOn(system).openBrowser();
  dataOf(await browser.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password } }));
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid offline_access',
    state: randomUUID(),
    code_challenge_method: 'S256',
    code_challenge: await calculatePKCECodeChallenge(verifier),
  });
  const { location } = await browser.get(`${issuerOf(system.url, project)}/oauth/authorize?${query}`);
  const code = location.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const { json } = await postTo(world, 'token', grant);
  const { access_token, refresh_token } = json;
  if (access_token === undefined || refresh_token === undefined)
    throw new Error(`no tokens of the app: ${location.href} ${JSON.stringify(json)}`);
  return { access_token, refresh_token };
}

/** A member with a password, whom the directory adopts, and an Admin, who may make keys. */
export async function settle(world: World, index: number) {
  const { system, owner, organization, project, directory, domain } = world;
  const person = await createPerson(system, { email: `leaver${index}.${randomUUID().slice(0, 8)}@${domain}` });
  const { id } = await directory.needed('POST', '/Users', personOf(person.email, index));
  const roleId = await builtInRole(owner, organization, 'Admin');
  const path = `/api/organization-members/${person.userId}`;
  dataOf(await owner.client.patch(path, { scope: organization, roleId }, owner.token));
  const login = { provider: 'email', providerId: person.email, providerData: { password } };
  const { accessToken: token } = dataOf(await person.client.post('/api/auth/login', login));
  const viewer = await builtInRole(owner, organization, 'Viewer');
  const key = dataOf(await person.client.post('/api/api-keys', { scope: project, name: 'Own', roleId: viewer }, token));
  const exchange = () => person.client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope: project });
  const keyToken = dataOf(await exchange()).accessToken;
  const appToken = await signToken(system, { type: 'projectApp', subject: person.userId, project, scopes: ['Role:Query'] });
  const signedIn = await signIn(world, person.email);
  return { id: String(id), person: { ...person, token }, exchange, keyToken: String(keyToken), appToken, signedIn };
}

export type Settled = Awaited<ReturnType<typeof settle>>;
export type Door = () => Promise<boolean>;
type Application = ReturnType<typeof createApplication>;

export const question = { permission: { resource: 'Role', action: 'Query' } };

/** Whether the person is let in, at each door; `evaluator` asks about others. */
export function doorsOf(
  world: World,
  { person, exchange, keyToken, appToken, signedIn }: Settled,
  evaluator: string,
  applications: Readonly<Record<string, Application>>,
) {
  const { owner, project } = world;
  const { client, token, userId } = person;
  const decided = (by: string) => async () => {
    const { status, body } = await client.post('/api/auth/is-authorized', { ...question, scope: project }, by);
    return status === 200 && body.data.authorized === true;
  };
  const overGrpc = (application: Application | undefined) => async () =>
    (await application?.isAuthorized(evaluator, { ...question.permission, subject: { type: 'user', userId } }))?.authorized === true;
  const document = 'query ($input: RolesInput!) { roles(input: $input) { totalCount } }';
  let refreshToken = signedIn.refresh_token;
  return new Map<string, Door>([
    ['session, REST', async () => (await client.get(`/api/roles?${inScope(project)}`, token)).status === 200],
    ['session, GraphQL', async () => (await client.graphql(document, { input: { scope: project } }, token)).body.errors === undefined],
    ['session, decision', decided(token)],
    ['API key, exchange', async () => (await exchange()).status === 200],
    ['API key, its token', decided(keyToken)],
    ['app, its token', decided(appToken)],
    [
      'app, refresh',
      async () => {
        const { json } = await postTo(world, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken });
        refreshToken = json.refresh_token ?? refreshToken;
        return json.access_token !== undefined;
      },
    ],
    ['app, introspection', async () => (await postTo(world, 'introspect', { token: signedIn.access_token })).json.active === true],
    ['gRPC IsAuthorized, rbac', overGrpc(applications['rbac'])],
    ['gRPC IsAuthorized, gateway', overGrpc(applications['gateway'])],
    [
      'AuthZEN',
      async () => {
        const resource = { type: 'Role', id: randomUUID() };
        const asked = { subject: { type: 'user', id: userId }, action: { name: 'Query' }, resource, context: { scope: project } };
        return (await owner.client.post('/access/v1/evaluation', asked, owner.token)).body.decision === true;
      },
    ],
  ]);
}

/** Opens each door once: what is shut before would prove nothing. */
export async function assertOpen(doors: ReadonlyMap<string, Door>): Promise<void> {
  for (const [name, isOpen] of doors) expect([name, await isOpen()]).toStrictEqual([name, true]);
}
