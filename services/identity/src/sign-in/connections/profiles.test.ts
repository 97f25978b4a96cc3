import { expect, test } from '@jest/globals';
import { isOfOrganization, MalformedProfile, profiles } from './profiles.ts';

function codehost(user: unknown, emails: unknown = []) {
  return profiles.codehost.read('https://host.example', async (url) => (url.endsWith('/emails') ? emails : user));
}
function openid(userinfo: unknown) {
  return profiles.openid.read('https://host.example/userinfo', async () => userinfo);
}

test('an address counts as verified only when the provider says so in so many words', async () => {
  const email = 'ada@example.com';
  for (const said of [false, undefined, null, 'true', 1]) {
    expect((await openid({ sub: 'x', email, email_verified: said })).isEmailVerified).toBe(false);
    expect((await codehost({ id: 1 }, [{ email, primary: true, verified: said }])).isEmailVerified).toBe(false);
  }
  expect((await openid({ sub: 'x', email, email_verified: true })).isEmailVerified).toBe(true);
  expect((await codehost({ id: 1 }, [{ email, primary: true, verified: true }])).isEmailVerified).toBe(true);
});

test('of several addresses the primary one counts, proven or not; without one a proven one', async () => {
  const own = { email: 'own@example.com', primary: true, verified: false };
  const other = { email: 'other@example.com', primary: false, verified: true };
  const [first, second] = [await codehost({ id: 1 }, [other, own]), await codehost({ id: 1 }, [other])];
  expect([first.email, first.isEmailVerified, second.email, second.isEmailVerified]).toStrictEqual([own.email, false, other.email, true]);
});

test('an address has its one form; what no mail could be sent to, or only folds into one, proves nothing', async () => {
  expect((await openid({ sub: 'x', email: 'Ada@Example.com', email_verified: true })).email).toBe('ada@example.com');
  for (const email of ['no address', 'a@b.io\r\nBcc: x@y.io', 7, null])
    expect(await openid({ sub: 'x', email, email_verified: true })).toStrictEqual({
      providerId: 'x',
      name: null,
      email: null,
      isEmailVerified: false,
    });
  const kelvin = await openid({ sub: 'x', email: '\u212aim@example.com', email_verified: true });
  expect([kelvin.email, kelvin.isEmailVerified]).toStrictEqual(['kim@example.com', false]);
});

test('an id is a text or a whole number of a bounded length; all else is no profile', async () => {
  expect((await codehost({ id: 42 })).providerId).toBe('42');
  expect((await openid({ sub: 'x'.repeat(255) })).providerId).toHaveLength(255);
  for (const id of [undefined, null, '', 1.5, 2 ** 60, true, {}, 'x'.repeat(256)]) {
    await expect(codehost({ id, login: 'ada' })).rejects.toThrow(MalformedProfile);
    await expect(openid({ sub: id, preferred_username: 'ada' })).rejects.toThrow(MalformedProfile);
  }
  for (const profile of [null, [], 'ada', 7]) await expect(openid(profile)).rejects.toThrow(MalformedProfile);
});

test('a name is one line that fits; without one the login stands in', async () => {
  expect((await codehost({ id: 1, name: ' Ada\r\n\u0000Lovelace ', login: 'ada' })).name).toBe('Ada Lovelace');
  expect((await codehost({ id: 1, name: ' ', login: 'ada' })).name).toBe('ada');
  expect((await openid({ sub: 'x', name: 'x'.repeat(300) })).name?.length).toBe(200);
  expect((await openid({ sub: 'x' })).name).toBeNull();
});

test('an account at Google that belongs to no Workspace speaks for no organization', () => {
  expect(isOfOrganization('https://accounts.google.com', { hd: 'birch.example.com' })).toBe(true);
  for (const hd of [undefined, null, true, ['birch.example.com']])
    expect(isOfOrganization('https://accounts.google.com', { hd })).toBe(false);
  expect(isOfOrganization('https://login.birch.example', {})).toBe(true);
});
