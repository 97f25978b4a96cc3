/** An attacker registers with a victim's address and waits for the victim to use the account. */

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createClient, inScope } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, quietWebhook } from '../support/world.ts';

const acceptDocument = 'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { isNewUser } }';
const signInKey = 'errors.organizationInvitation.signInFirst';

const stack = await openStack();
const owner = await createPerson(stack);

async function inviteTo(email: string) {
  const organization = await createOrganization(owner);
  const roleId = await builtInRole(owner, organization, 'Admin');
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
  const { data } = await waitForMail(stack.dataDir, email, 'invitation');
  return { organization, token: data.token };
}

describe('an invitation to an address that another user has registered', () => {
  test('does not let them in, nor prove the address, when its owner follows the link', async () => {
    const thief = await createPerson(stack, { verified: false });
    const { organization, token } = await inviteTo(thief.email);
    const victim = createClient(stack.url, 'the device of the victim');
    const userData = { name: 'Victim', password: 'Another-Horse-73' };
    for (const body of [{ token }, { token, userData }]) {
      const rest = await victim.post('/api/organization-invitations/accept', body);
      expect([rest.status, rest.body.translationKey]).toStrictEqual([403, signInKey]);
      const graphql = await victim.graphql(acceptDocument, { input: body });
      expect(graphql.body.errors[0].extensions.translationKey).toBe(signInKey);
    }
    expect(dataOf(await thief.client.get('/api/me', thief.token)).isVerified).toBe(false);
    expect((await thief.client.get(`/api/organizations/${organization.id}?${inScope(organization)}`, thief.token)).status).toBe(403);
    const members = dataOf(await owner.client.get(`/api/organization-members?${inScope(organization)}`, owner.token));
    expect(members.items.filter(({ type }: { type: string }) => type === 'member').map(({ id }: { id: string }) => id)).toStrictEqual([
      owner.userId,
    ]);
  });

  test('is accepted by its owner with a new password, which throws the other out', async () => {
    const thief = await createPerson(stack, { verified: false });
    const { token } = await inviteTo(thief.email);
    const victim = createClient(stack.url, 'the device of the victim');
    const password = 'Another-Horse-73';
    dataOf(await victim.post('/api/auth/request-password-reset', { email: thief.email }));
    const { data: reset } = await waitForMail(stack.dataDir, thief.email, 'reset-password');
    dataOf(await victim.post('/api/auth/reset-password', { token: reset.token, newPassword: password }));
    const login = { provider: 'email', providerId: thief.email, providerData: { password } };
    const { accessToken } = dataOf(await victim.post('/api/auth/login', login));
    dataOf(await victim.post('/api/organization-invitations/accept', { token }, accessToken));
    expect(dataOf(await victim.get('/api/me', accessToken)).isVerified).toBe(true);
    expect((await thief.client.get('/api/me', thief.token)).status).toBe(401);
    expect((await thief.client.post('/api/auth/refresh', { refreshToken: thief.refreshToken })).status).toBe(401);
    const old = { ...login, providerData: { password: PASSWORD } };
    expect((await thief.client.post('/api/auth/login', old)).status).toBe(401);
  });

  test('is accepted by the user who is signed in with it, proven or not', async () => {
    const person = await createPerson(stack, { verified: false });
    const { token } = await inviteTo(person.email);
    dataOf(await person.client.post('/api/organization-invitations/accept', { token }, person.token));
    expect(dataOf(await person.client.get('/api/me', person.token)).isVerified).toBe(true);
  });

  // The link of the verification mail was opened by the owner of the address. [A10]
  for (const click of ['never', 'without a session', 'with another’s session', 'with its own session'] as const)
    test(`the link opened ${click}: joins in a session of the account only; by its token ${click === 'with its own session' ? 'nobody ends' : 'its owner ends'} the account`, async () => {
      const squatter = await createPerson(stack, { verified: false });
      const other = await createPerson(stack);
      const victim = createClient(stack.url, `the device of the victim ${randomUUID()}`);
      const sessions = {
        never: undefined,
        'without a session': undefined,
        'with another’s session': other.token,
        'with its own session': squatter.token,
      };
      if (click !== 'never') {
        const { data } = await waitForMail(stack.dataDir, squatter.email, 'verify-email');
        const answer = dataOf(await victim.post('/api/auth/verify-email', { token: data.token }, sessions[click]));
        expect(answer.isHeld).toBe(click === 'with its own session');
      }
      const { organization, token } = await inviteTo(squatter.email);
      const without = await victim.post('/api/organization-invitations/accept', { token });
      expect([without.status, without.body.translationKey]).toStrictEqual([403, signInKey]);
      const others = await other.client.post('/api/organization-invitations/accept', { token }, other.token);
      expect([others.status, others.body.translationKey]).toStrictEqual([403, 'errors.organizationInvitation.notTheAddressee']);
      expect((await squatter.client.get(`/api/organization-members?${inScope(organization)}`, squatter.token)).status).toBe(403);

      const rejected = await victim.post('/api/organization-invitations/reject-account', { token });
      if (click === 'with its own session') {
        expect(rejected.status).toBe(409);
        dataOf(await squatter.client.post('/api/organization-invitations/accept', { token }, squatter.token));
        return;
      }
      expect(rejected.status).toBe(200);
      expect((await squatter.client.get('/api/me', squatter.token)).status).toBe(401);
      const userData = { name: 'Victim', password: 'Another-Horse-73' };
      expect(dataOf(await victim.post('/api/organization-invitations/accept', { token, userData })).isNewUser).toBe(true);
    });
});

test('what a stranger made that acts later ends once the owner of the address takes the account back', async () => {
  const squatter = await createPerson(stack, { verified: false });
  const victim = createClient(stack.url, 'the device of the victim');
  const { data: click } = await waitForMail(stack.dataDir, squatter.email, 'verify-email');
  expect(dataOf(await victim.post('/api/auth/verify-email', { token: click.token })).isHeld).toBe(false);
  const signIn = async (providerData: object) =>
    dataOf(await squatter.client.post('/api/auth/login', { provider: 'email', providerId: squatter.email, providerData })).accessToken;
  const stranger = { ...squatter, token: await signIn({ password: PASSWORD }) };
  const organization = await createOrganization(stranger);
  const project = await createProject(stranger, organization);
  const roleId = await builtInRole(stranger, organization, 'Admin');
  const make = async (path: string, body: object) => dataOf(await stranger.client.post(path, body, stranger.token));
  const webhook = await make('/api/webhooks', { ...quietWebhook, scope: project });
  const key = await make('/api/api-keys', { scope: project, name: 'left behind', roleId });
  const accomplice = `${randomUUID()}@example.com`;
  await make('/api/organization-invitations/invite', { scope: organization, email: accomplice, roleId });
  const { data: invitation } = await waitForMail(stack.dataDir, accomplice, 'invitation');

  dataOf(await victim.post('/api/auth/request-password-reset', { email: squatter.email }));
  const { data: reset } = await waitForMail(stack.dataDir, squatter.email, 'reset-password');
  const password = 'Another-Horse-73';
  dataOf(await victim.post('/api/auth/reset-password', { token: reset.token, newPassword: password }));
  const token = await signIn({ password });
  const { clientId, clientSecret } = key;
  const isWorth: Readonly<Record<string, () => Promise<boolean>>> = {
    // Without a voucher it stops before its next delivery.
    webhook: async () =>
      dataOf(await victim.get(`/api/webhooks?${inScope(project, `ids=${webhook.id}`)}`, token)).items[0].voucher !== null,
    key: async () => (await victim.post('/api/auth/token', { clientId, clientSecret, scope: project })).status === 200,
    invitation: async () => (await victim.post('/api/organization-invitations/accept', { token: invitation.token })).status === 200,
  };
  await until(async () => (await Promise.all(Object.values(isWorth).map((ask) => ask()))).every((is) => !is));
});
