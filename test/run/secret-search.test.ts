import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { evidenceKinds, noteEvidence, noteSecret, noteToken, secretKinds } from '../support/evidence.ts';
import { noteMail } from '../support/stack-evidence.ts';
import { type Exchange, witness } from '../support/witness.ts';
import { judge, searchSecrets } from './secret-search.ts';

/** The run that runs these tests keeps evidence too: what is planted here must not get into it. */
const outer = process.env.TEST_EVIDENCE;
let folder: string;
/** Never noted before in this process. */
function newSecret() {
  return `Planted/"${randomUUID()}+é`;
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-search-'));
  process.env.TEST_EVIDENCE = folder;
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  if (outer === undefined) delete process.env.TEST_EVIDENCE;
  else process.env.TEST_EVIDENCE = outer;
});
function finds() {
  return searchSecrets(folder).finds;
}

describe('the search for secrets', () => {
  const spellings: Readonly<Record<string, (secret: string) => string>> = {
    'as it is': (secret) => secret,
    'as JSON': (secret) => JSON.stringify({ secret }),
    'in an address': (secret) => `?x=${encodeURIComponent(secret)}`,
    'as hexadecimal': (secret) => `\\x${Buffer.from(secret).toString('hex')}`,
    'as base64': (secret) => Buffer.from(secret).toString('base64'),
    'as base64url': (secret) => Buffer.from(secret).toString('base64url'),
  };
  for (const kind of evidenceKinds)
    for (const [name, spell] of Object.entries(spellings))
      test(`finds a secret ${name} in a ${kind}, and only then`, () => {
        const secret = newSecret();
        noteSecret('password', secret);
        noteEvidence(kind, `before ${secret.slice(0, -1)} after`);
        expect(finds()).toStrictEqual([]);
        noteEvidence(kind, `before ${spell(secret)} after`);
        const [find, ...more] = finds();
        expect(find ?? '').toMatch(new RegExp(`^password of \\d+ characters in a ${kind}, after: .*before`));
        expect(more).toStrictEqual([]);
        // The report tells the place and not the secret.
        expect(find?.includes(spell(secret))).toBeFalsy();
      });

  test('finds a private key, by its numbers as a database writes bytes, or by its envelope', () => {
    const number = Buffer.from(`a number ${process.pid}, long enough`).toString('base64url');
    noteSecret('private key', number);
    noteEvidence('dump', Buffer.from(number, 'base64url').toString('hex'));
    noteEvidence('trace', '-----BEGIN RSA PRIVATE KEY-----');
    expect(finds()).toHaveLength(2);
  });

  test('says how much it searched, and a whole run that kept nothing of a kind does not pass', () => {
    noteSecret('password', newSecret());
    for (const kind of evidenceKinds) noteEvidence(kind, 'words');
    const searched = searchSecrets(folder);
    expect(Object.values(searched.bytes)).toStrictEqual([6, 6, 6, 6, 6, 6]);
    expect(judge(searched, false).faults).toStrictEqual([]);
    // Six kinds of secrets were never seen.
    expect(judge(searched, true).faults).toHaveLength(secretKinds.length - 1);
    const nothing = judge(searchSecrets(mkdtempSync(join(folder, 'empty-'))), true);
    expect(nothing.faults).toHaveLength(evidenceKinds.length + secretKinds.length);
    expect(nothing.line).toMatch(/logs 0\.0 MB.* 0 passwords/);
  });
});

describe('what a client was answered', () => {
  const token = (name: string) => `eyJhbGciOiJSUzI1NiJ9.e30.${name}${randomUUID().repeat(4)}`;
  const answered = (exchange: Partial<Exchange>) =>
    witness({ method: 'POST', path: '/api/auth/login', token: undefined, sent: {}, status: 200, headers: {}, body: {}, ...exchange });

  test('a token in its own place is no find; the same one anywhere else is', () => {
    const [accessToken, refreshToken] = [token('login'), `refresh ${newSecret()}`];
    const headers = { 'set-cookie': `refresh_token=${refreshToken}; Path=/` };
    answered({ headers, body: { success: true, data: { accessToken, refreshToken } } });
    const query = 'mutation { first: login(input: {}) { mine: accessToken } }';
    answered({ path: '/graphql', sent: { query }, body: { data: { first: { mine: accessToken } } } });
    expect(finds()).toStrictEqual([]);
    answered({ body: { success: true, data: { name: accessToken } } });
    answered({ path: '/graphql', sent: { query }, body: { data: { first: { accessToken } } } });
    answered({ path: '/api/me', body: { data: { refreshToken } } });
    answered({ path: '/api/me', headers: { location: `/?t=${accessToken}` } });
    expect(finds()).toHaveLength(4);
  });

  test('a password that comes back is a find, in an answer to whomever', () => {
    const password = newSecret();
    answered({ sent: { provider: 'email', providerData: { password } } });
    expect(finds()).toStrictEqual([]);
    answered({ status: 400, body: { error: 'no', extensions: { field: password } } });
    expect(finds()).toHaveLength(1);
  });

  test('a bearer token is searched for once it was used', () => {
    const bearer = token('bearer');
    noteToken(bearer);
    noteEvidence('log', `authorization: ${bearer}`);
    expect(finds()).toHaveLength(1);
  });

  test('a mail may carry its own token only', () => {
    const [own, other] = [`own ${newSecret()}`, `other ${newSecret()}`];
    const mail = (text: string) => JSON.stringify({ to: 'a@b.c', data: { token: own, url: `https://x/?t=${own}` }, text, html: own });
    noteSecret('one-time token', other);
    noteMail(mail(`Follow ${own}`));
    expect(finds()).toStrictEqual([]);
    noteMail(mail(`Follow ${other}`));
    expect(finds()).toHaveLength(1);
  });

  test('an invitation may carry the token that stops such mails, which may stand nowhere else', () => {
    const [token, stop] = [`own ${newSecret()}`, randomUUID()];
    const stopUrl = `https://x/auth/invitation-mails?token=${stop}`;
    noteMail(JSON.stringify({ to: 'a@b.c', data: { token, stopUrl }, text: `${token} ${stopUrl}`, html: stopUrl }));
    expect(finds()).toStrictEqual([]);
    noteMail(JSON.stringify({ to: 'a@b.c', data: { token: '' }, text: stopUrl, html: '' }));
    expect(finds()).toHaveLength(1);
  });
});
