/** A machine app acts by its role, for no person, and ends with its app. */
import { expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { countStatements, type Statements } from '../deep/load/statements.ts';
import { createClient, type ScopeValue } from '../support/client.ts';
import { openSignIn } from '../support/sign-in.ts';
import { addMember, builtInRole, dataOf, type Person } from '../support/world.ts';

const signIns = await openSignIn();

/** A machine app of its maker, and its tokens. */
async function makeRobot(maker: Person, project: ScopeValue, roleId: string) {
  const fields = { scope: project, name: 'Robot', type: 'machine', roleId };
  const { id, clientId, clientSecret } = dataOf(await maker.client.post('/api/project-apps', fields, maker.token));
  const credentials = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const exchange = () =>
    fetch(`${issuerOf(signIns.stack.url, project)}/oauth/token`, {
      method: 'POST',
      headers: { authorization: credentials },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  return { id: String(id), token: await tokenOf(await exchange()), credentials, exchange };
}

async function tokenOf(response: Response): Promise<string> {
  const answer = await response.json();
  return typeof answer === 'object' && answer !== null && 'access_token' in answer ? String(answer.access_token) : '';
}

/** Waits until a token is refused: two seconds at most. */
async function refusedSoon(token: string) {
  const until = Date.now() + 2_000;
  while (Date.now() < until && (await signIns.decide(token, 'order', 'read')).length > 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return signIns.decide(token, 'order', 'read');
}

test('a machine app may do what its role says, nothing that needs a person, and nothing after its deletion', async () => {
  const { stack, decide } = signIns;
  const { owner, project, roleId } = await signIns.createShop();
  const { id, token, exchange } = await makeRobot(owner, project, roleId);
  // A service that holds another machine app's secret, and asks the issuer about each token.
  const guard = dataOf(
    await owner.client.post('/api/project-apps', { scope: project, name: 'Guard', type: 'machine', roleId }, owner.token),
  );
  const issuer = issuerOf(stack.url, project);
  const introspection = { clientId: String(guard.clientId), clientSecret: String(guard.clientSecret), maxAgeMs: 0 };
  const verifier = createVerifier({ issuers: [issuer], audience: stack.url, types: ['apiKey'], introspection });
  expect(await decide(token, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
  expect(await decide(token, 'order', 'write')).toStrictEqual([false, 'NO_MATCHING_PERMISSION_FOUND']);
  expect((await verifier.verify(token)).sub).toBe(id);
  const robot = createClient(stack.url);
  expect((await robot.get('/api/me', token)).status).toBe(403);
  expect((await robot.get('/api/me/consents', token)).status).toBe(403);
  dataOf(await owner.client.delete(`/api/project-apps/${id}?tenant=${project.tenant}&scopeId=${project.id}`, owner.token));
  expect((await exchange()).status).toBe(401);
  expect(await refusedSoon(token)).toStrictEqual([401]);
  await expect(verifier.verify(token)).rejects.toMatchObject({ name: 'TokenRefused', reason: 'revoked' });
});

test('the token that a machine app revoked is refused by the API, and its other token is not', async () => {
  const { stack, decide } = signIns;
  const { owner, project, roleId } = await signIns.createShop();
  const { token, credentials, exchange } = await makeRobot(owner, project, roleId);
  const other = await tokenOf(await exchange());
  expect(await decide(token, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
  const revocation = await fetch(`${issuerOf(stack.url, project)}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: credentials },
    body: new URLSearchParams({ token }),
  });
  expect(revocation.status).toBe(200);
  expect(await refusedSoon(token)).toStrictEqual([401]);
  expect(await decide(other, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
});

test('the tokens of a machine app end once the member who gave it its role is demoted', async () => {
  const { stack, decide } = signIns;
  const { owner, organization, project } = await signIns.createShop();
  const admin = await addMember(stack, owner, organization, 'Admin');
  const [high, low] = await Promise.all(['Admin', 'Viewer'].map((name) => builtInRole(owner, organization, name)));
  const { token, exchange } = await makeRobot(admin, project, String(high));
  const own = await makeRobot(owner, project, String(high));
  expect((await decide(token, 'Role', 'Create'))[0]).toBe(true);
  dataOf(await owner.client.patch(`/api/organization-members/${admin.userId}`, { scope: organization, roleId: low }, owner.token));
  expect(await refusedSoon(token)).toStrictEqual([401]);
  const answer = await exchange();
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  expect((await decide(own.token, 'Role', 'Create'))[0]).toBe(true);
});

test('a machine app that asks again gets its token for five statements, over all services', async () => {
  const { owner, project, roleId } = await signIns.createShop();
  const { exchange } = await makeRobot(owner, project, roleId);
  // The first tokens of a project make its key and its provider.
  for (let times = 0; times < 2; times += 1) expect((await exchange()).status).toBe(200);
  // Other suites use the same stack and are counted with it: the fewest of five are the exchange's.
  const counts: Statements[] = [];
  for (let times = 0; times < 5; times += 1) counts.push(await countStatements(signIns.stack, exchange));
  const fewest = counts.reduce((least, count) => (count.queries < least.queries ? count : least));
  expect(fewest.byService).toStrictEqualFor(fewest.texts, { identity: 3, tenancy: 1, rbac: 1 });
});
