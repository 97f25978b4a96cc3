import { expect, test } from '@jest/globals';
import { languages } from '@tessera/kernel/errors';
import { render, templateNames } from './templates.ts';

const brand = { name: 'Birch & <i>Co</i>', color: '#ffd43b' };
const hostile = `<img src=x onerror="alert(1)"> & 'quoted'`;
const people = { organizationName: hostile, appName: hostile, provider: hostile };
const mails = templateNames.flatMap((name) => languages.map((language) => ({ name, language })));

test.each(mails)('the mail $name ($language) leads to its page, in text and HTML, and to nothing else', ({ name, language }) => {
  const { html, text, subject, data } = render(name, language, { token: 'a+b/c', ...people }, 'https://app.example.com', brand);
  expect(data.url).toMatch(/^https:\/\/app\.example\.com\/[\w/-]*\?token=a%2Bb%2Fc$/);
  expect(text).toContain(`\n${data.url}\n`);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
  expect([...new Set(links)]).toStrictEqual([data.url]);
  expect(links.length).toBeGreaterThanOrEqual(2);
  // Nothing is loaded when the mail is opened.
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|@import|url\(/i);
  expect(html).toContain(`lang="${language}"`);
  expect([subject, text, html].join()).not.toMatch(/[{}]{1,2}\w+\}/);
});

test.each(mails)('the mail $name ($language) shows what people have written, and never runs it', ({ name, language }) => {
  const { html, subject } = render(name, language, { token: 'x', ...people }, 'https://app.example.com', brand);
  expect(html).not.toMatch(/<img|<i>|onerror="/);
  expect(html).toContain('Birch &#38; &#60;i&#62;Co&#60;/i&#62;');
  if (subject.includes('<img')) expect(html).toContain('&#60;img src=x onerror=&#39;alert(1)&#39;&#62; &#38; &#39;quoted&#39;');
  expect(subject).not.toMatch(/[\r\n]/);
});

test('a line break in a name does not get into the subject', () => {
  const data = { token: 'x', organizationName: 'Acme\r\nBcc: all@example.com' };
  expect(render('invitation', 'en', data, 'https://app.example.com', brand).subject).toBe(
    'You are invited to "Acme Bcc: all @ example. com"',
  );
});

const links = [
  'Your bank: sign in at http://evil.example/x',
  'www.evil.example',
  'evil.example/login',
  'mailto:a@evil.example',
  'https:\\\\evil.example',
  '203.0.113.7/x',
  '1.2.3.4',
  'evil。example',
];
test.each(links)('the name %s is no link in a mail', (organizationName) => {
  const { subject, text } = render('invitation', 'en', { token: 'x', organizationName }, 'https://app.test', brand);
  const shown = [subject, text.replaceAll(/https:\/\/app\.test\S*/g, '')].join('\n');
  expect(shown).toContain('"');
  expect(shown).not.toMatch(/\w:[/\\]|\S@\S|www\.\S|[\p{L}\p{N}][.。][\p{L}\p{N}]{2}|\d+\.\d+\.\d+/u);
});

test('a name in a mail is cut after 60 characters and closes no quotes', () => {
  const subjectOf = (organizationName: string) =>
    render('invitation', 'en', { token: 'x', organizationName }, 'https://app.test', brand).subject;
  expect(subjectOf('x'.repeat(61))).toBe(`You are invited to "${'x'.repeat(60)}…"`);
  expect(subjectOf('Acme" is closed. “Pay')).toBe(`You are invited to "Acme' is closed. 'Pay"`);
  expect(subjectOf('J.R.R. Tolkien & Co. KG')).toBe('You are invited to "J.R.R. Tolkien & Co. KG"');
});

test('an invitation names the address of the person who invites, where it is known', () => {
  const linesOf = (data: object) =>
    render('invitation', 'en', { token: 'x', organizationName: 'Acme', ...data }, 'https://app.test', brand).text;
  expect(linesOf({ inviterAddress: 'ada@example.com' })).toContain('\nInvited by: ada@example.com\n');
  expect(linesOf({})).not.toContain('Invited by');
});

test('the text of a button can be read on every colour', () => {
  const textOn = (color: string) => {
    const { html } = render('verify-email', 'en', { token: 'x' }, 'https://app.example.com', { name: 'Acme', color });
    return /background:#\w{6};color:(#\w{6})/.exec(html)?.[1] ?? html;
  };
  expect([textOn('#ffd43b'), textOn('#3b5bdb'), textOn('#000000'), textOn('#ffffff')]).toStrictEqual([
    '#000000',
    '#ffffff',
    '#ffffff',
    '#000000',
  ]);
});
