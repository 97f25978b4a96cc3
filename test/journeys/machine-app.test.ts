/** A machine app acts by its role, for no person, and ends with its app. */
import { expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { createClient } from '../support/client.ts';
import { makeRobot, tokenOf } from '../support/robot.ts';
import { openSignIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, dataOf } from '../support/world.ts';

const signIns = await openSignIn();

/** Waits until a token is refused; test/journeys/faults measures how soon. */
async function refusedSoon(token: string) {
  await until(async () => (await signIns.decide(token, 'order', 'read')).length === 1);
  return signIns.decide(token, 'order', 'read');
}

test('a machine app may do what its role says, nothing that needs a person, and nothing after its deletion', async () => {
  const { stack, decide } = signIns;
  const { owner, project, roleId } = await signIns.createShop();
  const { id, token, exchange } = await makeRobot(signIns.stack.url, owner, project, roleId);
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
  const { token, credentials, exchange } = await makeRobot(signIns.stack.url, owner, project, roleId);
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
  const { token, exchange } = await makeRobot(signIns.stack.url, admin, project, String(high));
  const own = await makeRobot(signIns.stack.url, owner, project, String(high));
  expect((await decide(token, 'Role', 'Create'))[0]).toBe(true);
  dataOf(await owner.client.patch(`/api/organization-members/${admin.userId}`, { scope: organization, roleId: low }, owner.token));
  expect(await refusedSoon(token)).toStrictEqual([401]);
  const answer = await exchange();
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  expect((await decide(own.token, 'Role', 'Create'))[0]).toBe(true);
});
