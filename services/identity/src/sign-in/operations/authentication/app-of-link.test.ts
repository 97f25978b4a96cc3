/** Links that are requested on the way to an app lead back to it. */
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../../../../test/support/until.ts';
import { startOauth } from '../../../testing/oauth.ts';
import { projectsOf } from '../../../testing/project.ts';
import { goodPassword } from '../../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp } = await projectsOf(service);

const register = (email: string, way: object) =>
  service.ask('POST', '/api/auth/register', {
    body: { provider: 'email', providerId: email, providerData: { password: goodPassword }, ...way },
  });

/** The query of the link in the newest of so many mails, without its token. */
async function queryOf(email: string, count: number): Promise<object> {
  const mail = (await service.mails(email, count)).at(-1);
  const { token, ...others } = Object.fromEntries(new URL(String(mail?.data.url)).searchParams);
  expect(token).toStrictEqual(mail?.data.token);
  return others;
}

test('a link names the app and the sign-in to it in which it was requested: of a registration, of a second mail, of a new password', async () => {
  const { clientId } = await makeApp();
  const email = `ada.${newId()}@example.com`;
  const way = { clientId, interactionId: 'in&other=1#' };
  const wanted = { client_id: clientId, interaction: 'in&other=1#' };
  expect((await register(email, way)).status).toBe(201);
  expect(await queryOf(email, 1)).toStrictEqual(wanted);
  await service.ask('POST', '/api/auth/resend-verification', { body: { email, ...way } });
  expect(await queryOf(email, 2)).toStrictEqual(wanted);
  await service.ask('POST', '/api/auth/request-password-reset', { body: { email, clientId } });
  expect(await queryOf(email, 3)).toStrictEqual({ client_id: clientId });
  await until(
    async () => (await service.database.query(sql('SELECT FROM mail_jobs WHERE done_at IS NULL OR app IS NOT NULL'))).length === 0,
  );
});

test('a link names no app that does not exist, and no sign-in without an app', async () => {
  for (const way of [{ clientId: 'app_unknown', interactionId: 'x' }, { interactionId: 'x' }]) {
    const email = `ada.${newId()}@example.com`;
    expect((await register(email, way)).status).toBe(201);
    expect(await queryOf(email, 1)).toStrictEqual({});
  }
});

test.each([
  ['web', ['https://shop.example/cb', 'https://other.example/cb'], 'https://shop.example'],
  ['spa', ['http://localhost:8080/cb'], 'http://localhost:8080'],
  ['native', ['http://127.0.0.1/cb', 'com.example.app:/cb'], null],
  [null, ['https://client.example/cb?from=tessera'], 'https://client.example'],
])('the public facts of an app of type %s say where people find it', async (type, redirectUris, url) => {
  const { clientId } = await makeApp({ ...(type === null ? {} : { type, scopes: [] }), redirectUris });
  const { body } = await service.ask('GET', `/api/auth/project/app-info?client_id=${clientId}`);
  expect(body.data.url).toBe(url);
});
