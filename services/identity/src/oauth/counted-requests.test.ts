/** Requests that any caller may send leave one audit row a minute and app, not one each. */
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { startOauth } from '../testing/oauth.ts';
import { projectsOf } from '../testing/project.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp } = await projectsOf(service);

async function times(count: number, path: string, body: () => object) {
  const answers = await Promise.all(Array.from({ length: count }, () => service.ask('POST', path, { body: body() })));
  for (const { status } of answers) expect(status).toBeLessThan(300);
}
const email = () => ({ email: `${newId()}@example.com` });

test('eight requests for a reset or a verification mail leave one row each', async () => {
  await times(8, '/api/auth/request-password-reset', email);
  await times(8, '/api/auth/resend-verification', email);
  expect(await service.auditOf('user.password-reset-requested')).toHaveLength(1);
  expect(await service.auditOf('user.verification-requested')).toHaveLength(1);
});

test('requests for magic links leave one row for each app, and one for all that name none, without what they sent', async () => {
  const [first, second] = [await makeApp(), await makeApp()];
  const link = (clientId: string) => () => ({ client_id: clientId, redirect_uri: 'https://app.example.com/callback', ...email() });
  await times(5, '/api/auth/project/email/request', link(first.clientId));
  await times(5, '/api/auth/project/email/request', link(second.clientId));
  await times(8, '/api/auth/project/email/request', () => link(`invented ${newId()}`)());
  const rows = await service.auditOf('project-oauth.link-requested');
  const details = rows.map(({ detail }) => detail);
  expect(details).toHaveLength(3);
  expect(details).toStrictEqual(expect.arrayContaining([{ clientId: first.clientId }, { clientId: second.clientId }, {}]));
});
