import { expect, test } from '@jest/globals';
import { isAddress, normalizeAddress } from './index.ts';

test('an address has one form, whatever case and composition it arrives in', () => {
  expect(normalizeAddress('Ada.LOVELACE@Example.COM')).toBe('ada.lovelace@example.com');
  expect(normalizeAddress('re\u0301ne@example.com')).toBe(normalizeAddress('R\u00c9NE@example.com'));
  expect(normalizeAddress('\u212aim@example.com')).toBe('kim@example.com');
  const late = normalizeAddress('J\u030cohn@example.com');
  // Lower case may compose where upper case can’t.
  expect(late).toBe(late.normalize('NFC'));
});

test('the two spellings of a domain are one form, and what is no name of a domain is no address', () => {
  for (const [spelling, form] of [
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['Ada@XN--BCHER-KVA.Example', 'ada@bücher.example'],
    ['ada@BÜCHER.example', 'ada@bücher.example'],
    ['ada@bu\u0308cher.example', 'ada@bücher.example'],
    ['ada@ｅxample.com', 'ada@example.com'],
    ['ada@example。com', 'ada@example.com'],
    ['ada@straße.example', 'ada@straße.example'],
    ['ada@xn--strae-oqa.example', 'ada@straße.example'],
    ['xn--a@xn--p1ai.xn--p1ai', 'xn--a@рф.рф'],
    ['ada@xn--ls8h.example', 'ada@💩.example'],
    ['bücher.example@ab--c.example', 'bücher.example@ab--c.example'],
  ] as const) {
    expect(normalizeAddress(spelling)).toStrictEqualFor(spelling, form);
    expect(normalizeAddress(form)).toStrictEqualFor(form, form);
    expect(isAddress(form)).toStrictEqualFor(form, true);
  }
  for (const bad of ['a@b\u200dc.example', 'a@b\u00ad', 'a@\u2488.example'])
    expect(isAddress(normalizeAddress(bad))).toStrictEqualFor(bad, false);
  // What is no punycode, or that of ASCII alone, is not taken for another domain.
  for (const stays of ['a@xn--a.example', 'a@xn--zzzzzzz9999.example', 'a@xn--a-.example', 'a@xn--.example'])
    expect(normalizeAddress(stays)).toStrictEqualFor(stays, stays);
});

test('accepts what mail can be sent to, refuses the rest', () => {
  for (const good of ['a@b.io', 'ada+tag@sub.example.com', "o'hara@example.com", 'ü@bücher.example'])
    expect(isAddress(good)).toStrictEqualFor(good, true);
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
  for (const bad of [...refused, `a@${'b'.repeat(250)}.io`]) expect(!isAddress(bad)).toStrictEqualFor(bad, true);
});
