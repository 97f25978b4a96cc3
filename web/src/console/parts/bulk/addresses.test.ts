import { expect, test } from '@jest/globals';
import { assertWithin } from '../../../../../test/support/until.ts';
import { addressesIn } from './addresses.ts';

const read = (text: string) => addressesIn(text).addresses;
const three = ['ada@example.com', 'grace@example.com', 'mary@example.com'];

test('addresses stand between commas, semicolons, spaces and lines, as people and mail programs write them', () => {
  for (const text of [
    'ada@example.com, grace@example.com,mary@example.com',
    'ada@example.com grace@example.com\tmary@example.com',
    ' ada@example.com\r\n\r\ngrace@example.com;\nmary@example.com\n',
    'Ada <ada@example.com>, Grace Hopper <grace@example.com>, <mary@example.com>',
    'Ada Lovelace <ada@example.com> Grace <grace@example.com> Mary <mary@example.com>',
    'Lovelace, Ada <ada@example.com>; "Hopper, Grace" <grace@example.com>; mary@example.com',
    'Lovelace, Ada <ada@example.com>,\nHopper, Grace <grace@example.com>,\nmary@example.com',
    '"ada@example.com" \'grace@example.com\' (mary@example.com)',
    // What a copied text has at its ends, unseen.
    '\uFEFFada@example.com, \u200Bgrace@example.com\u200B, \u202Amary@example.com\u202C',
  ]) {
    expect([text, addressesIn(text)]).toStrictEqual([text, { addresses: three, faults: [], repeated: 0, isTable: false }]);
  }
});

test('of a table the only column with addresses is read', () => {
  for (const text of [
    'name,email,role\nAda,ada@example.com,Dev\nGrace,grace@example.com,\nMary,mary@example.com,Dev',
    'Ada;ada@example.com\nGrace;grace@example.com\nMary;mary@example.com',
    'Email\tName\r\nada@example.com\tAda\r\ngrace@example.com\tGrace\r\nmary@example.com\tMary\r\n',
    '"Lovelace, Ada","ada@example.com"\n"Hopper, Grace","grace@example.com"\n"Say ""Mary""","Mary <mary@example.com>"',
  ]) {
    expect([text, addressesIn(text)]).toStrictEqual([text, { addresses: three, faults: [], repeated: 0, isTable: true }]);
  }
  // A line without an address is named.
  expect(addressesIn('name,email\nAda,ada@example.com\nGrace,').faults).toStrictEqual(['Grace']);
  expect(addressesIn('name,email\nAda,ada@example.com\nGrace,unknown').faults).toStrictEqual(['unknown']);
  // Two columns with addresses: whose manager is not to be invited.
  expect(addressesIn('Ada,ada@example.com,grace@example.com\nMary,mary@example.com,grace@example.com').faults).toStrictEqual([
    'Ada',
    'Mary',
  ]);
});

test('an address that is named again counts once, whatever its capitals', () => {
  expect(addressesIn('Ada@Example.com, ada@example.com ADA@EXAMPLE.COM; r\u00e9ne@example.com re\u0301ne@example.com')).toStrictEqual({
    addresses: ['Ada@Example.com', 'r\u00e9ne@example.com'],
    faults: [],
    repeated: 3,
    isTable: false,
  });
});

test('what is no address is named, and nothing of it is taken for one', () => {
  expect(addressesIn('ada@example.com, bob, @example.com, ada@, a@b@c.example, <b onclick=x>, ada..l@example.com').faults).toStrictEqual([
    'bob',
    '@example.com',
    'ada@',
    'a@b@c.example',
    'b',
    'onclick=x',
    'ada..l@example.com',
  ]);
  expect(read('<img src=x onerror=alert(1)@example.com>')).toStrictEqual([]);
  // Unseen inside: it looks like another address.
  expect(read('ada\u200B@example.com')).toStrictEqual([]);
  expect(read(`${'a'.repeat(65)}@example.com`)).toStrictEqual([]);
  expect(read(' ')).toStrictEqual([]);
});

test('addresses in other letters are taken', () => {
  expect(read('jürgen@bücher.example 用户@例子。广告')).toStrictEqual(['jürgen@bücher.example', '用户@例子。广告']);
});

test('a hundred thousand characters of anything take no second', async () => {
  const size = 100_000;
  for (const part of ['a ', 'a,', '<', '>', '"', "'", '((', '@', 'a@b ', '<a@b>', '\u200B', '";', '\n', ', <', '"a']) {
    const text = `${part.repeat(size / part.length)}x`;
    await assertWithin(1_000, () => addressesIn(text));
  }
});
