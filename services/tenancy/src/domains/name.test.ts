import { expect, test } from '@jest/globals';
import { parseDomain } from './name.ts';

test('a domain has one form, however it is written', () => {
  for (const [text, domain] of [
    ['example.com', 'example.com'],
    [' EXAMPLE.com. ', 'example.com'],
    ['lab.example.co.uk', 'lab.example.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER。example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['ｅxample.com', 'example.com'],
    ['me.github.io', 'me.github.io'],
    ['corp.internal', 'corp.internal'],
  ] as const)
    expect(parseDomain(text)).toStrictEqualFor(text, { domain });
});

test('what no organization can have alone is refused, with its reason', () => {
  const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(50)}.com`;
  for (const [fault, texts] of Object.entries({
    form: [
      '',
      'localhost',
      'example',
      'a b.com',
      '-a.com',
      'a..com',
      '_dmarc.example.com',
      '*.example.com',
      `${'a'.repeat(64)}.com`,
      'example.com:53',
    ],
    more: ['ada@example.com', 'https://example.com', 'example.com/path', 'example.com?a', 'example.com#a', 'example.com\\a'],
    ip: ['192.0.2.1', '0x7f.1', '2130706433', '[::1]', '::1', '2001:db8::1'],
    suffix: ['co.uk', 'github.io', 'a.kawasaki.jp', 'CO.UK.'],
    public: ['gmail.com', 'Googlemail.com', 'outlook.com', 'gmx.de', 'proton.me', 'mail.gmail.com'],
    long: [long],
  }))
    for (const text of texts) expect(parseDomain(text)).toStrictEqualFor(text, { fault });
});
