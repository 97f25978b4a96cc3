import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedProfile, profiles } from './profiles.ts';

function codehost(user: unknown, emails: unknown = []) {
  return profiles.codehost.read('https://host.example', async (url) => (url.endsWith('/emails') ? emails : user));
}
function openid(userinfo: unknown) {
  return profiles.openid.read('https://host.example/userinfo', async () => userinfo);
}

test('an address counts as verified only when the provider says so in so many words', async () => {
  const email = 'ada@example.com';
  for (const said of [false, undefined, null, 'true', 1]) {
    assert.equal((await openid({ sub: 'x', email, email_verified: said })).isEmailVerified, false);
    assert.equal((await codehost({ id: 1 }, [{ email, primary: true, verified: said }])).isEmailVerified, false);
  }
  assert.equal((await openid({ sub: 'x', email, email_verified: true })).isEmailVerified, true);
  assert.equal((await codehost({ id: 1 }, [{ email, primary: true, verified: true }])).isEmailVerified, true);
});

test('of several addresses the primary one counts, proven or not; without one a proven one', async () => {
  const own = { email: 'own@example.com', primary: true, verified: false };
  const other = { email: 'other@example.com', primary: false, verified: true };
  const [first, second] = [await codehost({ id: 1 }, [other, own]), await codehost({ id: 1 }, [other])];
  assert.deepEqual([first.email, first.isEmailVerified, second.email, second.isEmailVerified], [own.email, false, other.email, true]);
});

test('an address has its one form; what no mail could be sent to, or only folds into one, proves nothing', async () => {
  assert.equal((await openid({ sub: 'x', email: 'Ada@Example.com', email_verified: true })).email, 'ada@example.com');
  for (const email of ['no address', 'a@b.io\r\nBcc: x@y.io', 7, null])
    assert.deepEqual(await openid({ sub: 'x', email, email_verified: true }), {
      providerId: 'x',
      name: null,
      email: null,
      isEmailVerified: false,
    });
  const kelvin = await openid({ sub: 'x', email: '\u212aim@example.com', email_verified: true });
  assert.deepEqual([kelvin.email, kelvin.isEmailVerified], ['kim@example.com', false]);
});

test('an id is a text or a whole number of a bounded length; all else is no profile', async () => {
  assert.equal((await codehost({ id: 42 })).providerId, '42');
  assert.equal((await openid({ sub: 'x'.repeat(255) })).providerId.length, 255);
  for (const id of [undefined, null, '', 1.5, 2 ** 60, true, {}, 'x'.repeat(256)]) {
    await assert.rejects(codehost({ id, login: 'ada' }), MalformedProfile);
    await assert.rejects(openid({ sub: id, preferred_username: 'ada' }), MalformedProfile);
  }
  for (const profile of [null, [], 'ada', 7]) await assert.rejects(openid(profile), MalformedProfile);
});

test('a name is one line that fits; without one the login stands in', async () => {
  assert.equal((await codehost({ id: 1, name: ' Ada\r\n\u0000Lovelace ', login: 'ada' })).name, 'AdaLovelace');
  assert.equal((await codehost({ id: 1, name: ' ', login: 'ada' })).name, 'ada');
  assert.equal((await openid({ sub: 'x', name: 'x'.repeat(300) })).name?.length, 200);
  assert.equal((await openid({ sub: 'x' })).name, null);
});
