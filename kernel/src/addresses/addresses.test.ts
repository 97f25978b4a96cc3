import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddress, normalizeAddress } from './index.ts';

test('an address has one form, whatever case and composition it arrives in', () => {
  assert.equal(normalizeAddress('Ada.LOVELACE@Example.COM'), 'ada.lovelace@example.com');
  assert.equal(normalizeAddress('re\u0301ne@example.com'), normalizeAddress('R\u00c9NE@example.com'));
  assert.equal(normalizeAddress('\u212aim@example.com'), 'kim@example.com');
  const late = normalizeAddress('J\u030cohn@example.com');
  assert.equal(late, late.normalize('NFC'), 'lower case may compose where upper case can’t');
});

test('accepts what mail can be sent to, refuses the rest', () => {
  for (const good of ['a@b.io', 'ada+tag@sub.example.com', "o'hara@example.com", 'ü@bücher.example']) assert.ok(isAddress(good), good);
  const refused = [
    '',
    'ada',
    'ada@',
    '@b.io',
    'a@b',
    'a b@c.io',
    'a@b..io',
    'a..b@c.io',
    'a@-b.io',
    'a@b-.io',
    'a@b_c.io',
    'a@b.i',
    'a,b@c.io',
    'a\u200bb@c.io',
    'a\u202eb@c.io',
    'a\u0000@b.io',
    'a@b.io\r\nBcc: x@y.io',
    '<a@b.io>',
    `${'a'.repeat(65)}@b.io`,
  ];
  for (const bad of [...refused, `a@${'b'.repeat(250)}.io`]) assert.ok(!isAddress(bad), bad);
});
