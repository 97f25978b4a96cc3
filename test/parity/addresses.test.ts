/** What tenancy invites, identity registers: one form and one shape of an address in both, or a link is sent that nobody can accept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as identity from '../../services/identity/src/domain/address.ts';
import * as tenancy from '../../services/tenancy/src/domain/address.ts';

const addresses: readonly string[] = [
  ...['a@b.io', 'Ada+Tag@Sub.Example.COM', "o'hara@example.com", 'ü@bücher.example', '\u212aim@example.com', 'J\u030cohn@example.com'],
  ...[
    '',
    'ada',
    '@b.io',
    'a@b',
    'a@b.i',
    'a b@c.io',
    'a..b@example.com',
    'a@b..io',
    'a@-b.io',
    'a@b-.io',
    'a@b_c.io',
    '<a@b.io>',
    'a,b@c.io',
  ],
  ...['a\u200bb@c.io', 'a\u202eb@c.io', 'a\u0000@b.io', 'a@b.io\r\nBcc: x@y.io', `${'a'.repeat(65)}@b.io`, `a@${'b'.repeat(250)}.io`],
];

describe('addresses', () => {
  for (const address of addresses) {
    it(`${JSON.stringify(address).slice(0, 60)} is the same to both services`, () => {
      const form = identity.normalizeAddress(address);
      assert.equal(tenancy.normalizeAddress(address), form);
      assert.equal(tenancy.isAddress(form), identity.isAddress(form));
    });
  }

  it('both accept and refuse some of these', () => {
    const accepted = addresses.filter((address) => tenancy.isAddress(tenancy.normalizeAddress(address)));
    assert.equal(accepted.length, 6);
  });
});
