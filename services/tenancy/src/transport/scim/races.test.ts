/** Two directories of one organization, and SCIM that meets an invitation (decision 24). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openDirectory, patchUrn, userUrn } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

const rounds = 5;
const off = [{ op: 'replace', path: 'active', value: false }];

/** The organization's directory, and a second one with an account of its own. */
async function two() {
  const first = await openDirectory(service);
  const accountId = newId();
  service.rbac.directories.add(`${first.organizationId}:${accountId}`);
  service.identity.serviceCredentials.add(accountId);
  const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, body: object) => {
    const response = await service.app.inject({
      method,
      url: `/scim/v2/${first.organizationId}${path}`,
      headers: {
        authorization: `Bearer service.${accountId}.${first.organizationId}.organization`,
        'content-type': 'application/scim+json',
      },
      payload: JSON.stringify(body),
    });
    return { status: response.statusCode, json: response.json() };
  };
  return { ...first, second: ask };
}

describe('two directories of one organization', () => {
  test('that send one person at once make one row; the other is told 409', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { create, second } = await two();
      const userName = `ada.${newId().slice(-8)}@elsewhere.example`;
      const answers = await Promise.all([create(userName), second('POST', '/Users', { schemas: [userUrn], userName })]);
      expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([201, 409]);
    }
  });

  test('that take one of the two last Owners each leave one: the PATCH of the last is 403', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { owner, organizationId, create, patch, second, members } = await two();
      const other = await service.addMember(organizationId, 'Owner', 'Other Owner');
      const rows = [];
      for (const { email } of [owner, other]) rows.push((await create(email ?? '')).json.id);
      const [mine, theirs] = rows;
      const patched = await Promise.all([patch(mine, off), second('PATCH', `/Users/${theirs}`, { schemas: [patchUrn], Operations: off })]);
      expect(patched.map(({ status }) => status).toSorted()).toStrictEqual([200, 403]);
      expect((await members()).filter((id) => id === owner.id || id === other.id)).toHaveLength(1);
    }
  });
});

describe('SCIM and an invitation', () => {
  const accept = async (token: string) => {
    const payload = { token, userData: { name: 'Gwen Guest', password: 'Correct-horse-17-battery' } };
    return (await service.app.inject({ method: 'POST', url: '/api/organization-invitations/accept', payload })).statusCode;
  };
  const rowOf = async (id: string) =>
    (
      await service.query<{ user_id: string | null; active: boolean }>('SELECT user_id, active FROM directory_users WHERE id = $1', [id])
    )[0];

  test('active false and acceptance at once: in either order no member is left', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { create, patch, members } = await two();
      const address = `gwen.${newId().slice(-8)}@elsewhere.example`;
      const before = await members();
      const { json } = await create(address);
      const [patched] = await Promise.all([patch(json.id, off), accept(service.identity.tokenFor(address))]);
      expect([patched.status, (await rowOf(json.id))?.active, await members()]).toStrictEqual([200, false, before]);
    }
  });

  test('a POST and the acceptance of an invitation by hand at once: one person, who is the row’s or still invited', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { owner, scope, organizationId, create, members } = await two();
      const address = `gwen.${newId().slice(-8)}@elsewhere.example`;
      const roleId = service.rbac.roleId(organizationId, 'Dev');
      const invited = await service.app.inject({
        method: 'POST',
        url: '/api/organization-invitations/invite',
        headers: { authorization: `Bearer ${owner.token}` },
        payload: { scope, email: address, roleId },
      });
      expect(invited.statusCode).toBe(201);
      const [made, accepted] = await Promise.all([create(address), accept(service.identity.tokenFor(address))]);
      expect(made.status).toBe(201);
      const row = await rowOf(made.json.id);
      const others = (await members()).filter((id) => id !== owner.id);
      if (accepted === 200) expect(others).toStrictEqual([row?.user_id]);
      else expect([others, row?.user_id]).toStrictEqual([[], null]);
      const [open] = await service.query<{ count: string }>(
        `SELECT count(*) FROM organization_invitations WHERE organization_id = $1 AND email = $2 AND status = 'pending'`,
        [organizationId, address],
      );
      expect(Number(open?.count)).toBe(accepted === 200 ? 0 : 1);
    }
  });
});
