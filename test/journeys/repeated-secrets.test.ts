/** A repeated creation shows its secret again for a day; what the secret opened may be gone. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { openSignIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, dataOf } from '../support/world.ts';

const signIns = await openSignIn();

test('the secret of a repeated answer is dead once its key, app or secret is gone', async () => {
  const { owner, project, roleId } = await signIns.createShop();
  const place = `tenant=${project.tenant}&scopeId=${project.id}`;
  /** A creation, and the same request again, which must be answered with the same secret. */
  const create = async (path: string, body: object) => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = async () => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token, headers));
    const made = await send();
    return { made, repeat: send };
  };
  const exchangeKey = ({ clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string }) =>
    owner.client.post('/api/auth/token', { clientId, clientSecret, scope: project });
  const exchangeApp = (clientId: string, clientSecret: string) =>
    fetch(`${issuerOf(signIns.stack.url, project)}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });

  for (const end of ['revoke', 'delete'] as const) {
    const { made, repeat } = await create('/api/api-keys', { name: 'Pipeline', roleId });
    expect((await exchangeKey(made)).status).toBe(200);
    if (end === 'delete') dataOf(await owner.client.delete(`/api/api-keys/${made.id}?${place}`, owner.token));
    else dataOf(await owner.client.post(`/api/api-keys/${made.id}/revoke`, { scope: project }, owner.token));
    const again = await repeat();
    expect(again).toStrictEqual(made);
    expect((await exchangeKey(again)).status).toBe(401);
  }

  const app = await create('/api/project-apps', { name: 'Robot', type: 'machine', roleId });
  const { id, clientId } = app.made;
  const second = await create(`/api/project-apps/${id}/secrets`, {});
  const secretOf = ({ secret, clientSecret }: { readonly secret?: string; readonly clientSecret?: string }) => secret ?? clientSecret ?? '';
  expect((await exchangeApp(clientId, secretOf(second.made))).status).toBe(200);
  dataOf(await owner.client.delete(`/api/project-apps/${id}/secrets/${second.made.id}?${place}`, owner.token));
  const again = await second.repeat();
  expect(again).toStrictEqual(second.made);
  expect((await exchangeApp(clientId, secretOf(again))).status).toBe(401);
  expect((await exchangeApp(clientId, secretOf(app.made))).status).toBe(200);
  dataOf(await owner.client.delete(`/api/project-apps/${id}?${place}`, owner.token));
  expect((await exchangeApp(clientId, secretOf(await app.repeat()))).status).toBe(401);
});

test('who may no longer create is shown no secret again', async () => {
  const { owner, organization, project, roleId } = await signIns.createShop();
  const admin = await addMember(signIns.stack, owner, organization, 'Admin');
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => admin.client.post('/api/api-keys', { scope: project, name: 'Pipeline', roleId }, admin.token, headers);
  expect((await send()).status).toBe(201);
  const viewer = await builtInRole(owner, organization, 'Viewer');
  dataOf(await owner.client.patch(`/api/organization-members/${admin.userId}`, { scope: organization, roleId: viewer }, owner.token));
  await until(async () => (await send()).status === 403);
});
