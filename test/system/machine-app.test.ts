/** A machine app acts by its role, for no person, and ends with its app. */
import { afterAll, expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { createClient } from './client.ts';
import { startSignIn } from './sign-in.ts';
import { dataOf } from './world.ts';

const signIns = await startSignIn();
afterAll(() => signIns.close());

test('a machine app may do what its role says, nothing that needs a person, and nothing after its deletion', async () => {
  const { stack, decide } = signIns;
  const { owner, project, roleId } = await signIns.createShop();
  const fields = { scope: project, name: 'Robot', type: 'machine', roleId };
  const { id, clientId, clientSecret } = dataOf(await owner.client.post('/api/project-apps', fields, owner.token));
  const exchange = () =>
    fetch(`${issuerOf(stack.url, project)}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const answer = await (await exchange()).json();
  // A service that holds another machine app's secret, and asks the issuer about each token.
  const guard = dataOf(await owner.client.post('/api/project-apps', { ...fields, name: 'Guard' }, owner.token));
  const issuer = issuerOf(stack.url, project);
  const introspection = { clientId: String(guard.clientId), clientSecret: String(guard.clientSecret), maxAgeMs: 0 };
  const verifier = createVerifier({ issuers: [issuer], audience: stack.url, types: ['apiKey'], introspection });
  const token = typeof answer === 'object' && answer !== null && 'access_token' in answer ? String(answer.access_token) : '';
  expect(await decide(token, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
  expect(await decide(token, 'order', 'write')).toStrictEqual([false, 'NO_MATCHING_PERMISSION_FOUND']);
  expect((await verifier.verify(token)).sub).toBe(id);
  const robot = createClient(stack.url);
  expect((await robot.get('/api/me', token)).status).toBe(403);
  expect((await robot.get('/api/me/consents', token)).status).toBe(403);
  dataOf(await owner.client.delete(`/api/project-apps/${id}?tenant=${project.tenant}&scopeId=${project.id}`, owner.token));
  expect((await exchange()).status).toBe(401);
  const until = Date.now() + 2_000;
  while (Date.now() < until && (await decide(token, 'order', 'read')).length > 1) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await decide(token, 'order', 'read')).toStrictEqual([401]);
  await expect(verifier.verify(token)).rejects.toMatchObject({ name: 'TokenRefused', reason: 'revoked' });
});
