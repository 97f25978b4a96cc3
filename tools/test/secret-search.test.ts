import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { evidenceKinds, noteEvidence, noteSecret, noteToken, secretKinds } from '../testing/evidence.ts';
import { noteMail } from '../testing/stack-evidence.ts';
import { type Exchange, witness } from '../testing/witness.ts';
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
  for (const kind of evidenceKinds) {
    for (const [name, spell] of Object.entries(spellings)) {
      test(`finds a secret ${name} in a ${kind}, and only then`, () => {
        const secret = newSecret();
        noteSecret('password', secret);
        noteEvidence(kind, `before ${secret.slice(0, -1)} after`);
        assert.deepEqual(finds(), []);
        noteEvidence(kind, `before ${spell(secret)} after`);
        const [find, ...more] = finds();
        assert.match(find ?? '', new RegExp(`^password of \\d+ characters in a ${kind}, after: .*before`));
        assert.deepEqual(more, []);
        assert.ok(!find?.includes(spell(secret)), 'the report tells the place and not the secret');
      });
    }
  }

  test('finds a private key, by its numbers as a database writes bytes, or by its envelope', () => {
    const number = Buffer.from(`a number ${process.pid}, long enough`).toString('base64url');
    noteSecret('private key', number);
    noteEvidence('dump', Buffer.from(number, 'base64url').toString('hex'));
    noteEvidence('trace', '-----BEGIN RSA PRIVATE KEY-----');
    assert.equal(finds().length, 2);
  });

  test('says how much it searched, and a whole run that kept nothing of a kind does not pass', () => {
    noteSecret('password', newSecret());
    for (const kind of evidenceKinds) noteEvidence(kind, 'words');
    const searched = searchSecrets(folder);
    assert.deepEqual(Object.values(searched.bytes), [6, 6, 6, 6, 6, 6]);
    assert.deepEqual(judge(searched, false).faults, []);
    assert.equal(judge(searched, true).faults.length, secretKinds.length - 1, 'six kinds of secrets were never seen');
    const nothing = judge(searchSecrets(mkdtempSync(join(folder, 'empty-'))), true);
    assert.equal(nothing.faults.length, evidenceKinds.length + secretKinds.length);
    assert.match(nothing.line, /logs 0\.0 MB.* 0 passwords/);
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
    assert.deepEqual(finds(), []);
    answered({ body: { success: true, data: { name: accessToken } } });
    answered({ path: '/graphql', sent: { query }, body: { data: { first: { accessToken } } } });
    answered({ path: '/api/me', body: { data: { refreshToken } } });
    answered({ path: '/api/me', headers: { location: `/?t=${accessToken}` } });
    assert.equal(finds().length, 4);
  });

  test('a password that comes back is a find, in an answer to whomever', () => {
    const password = newSecret();
    answered({ sent: { provider: 'email', providerData: { password } } });
    assert.deepEqual(finds(), []);
    answered({ status: 400, body: { error: 'no', extensions: { field: password } } });
    assert.equal(finds().length, 1);
  });

  test('a bearer token is searched for once it was used', () => {
    const bearer = token('bearer');
    noteToken(bearer);
    noteEvidence('log', `authorization: ${bearer}`);
    assert.equal(finds().length, 1);
  });

  test('a mail may carry its own token, and nobody else’s', () => {
    const [own, other] = [`own ${newSecret()}`, `other ${newSecret()}`];
    const mail = (text: string) => JSON.stringify({ to: 'a@b.c', data: { token: own, url: `https://x/?t=${own}` }, text, html: own });
    noteSecret('one-time token', other);
    noteMail(mail(`Follow ${own}`));
    assert.deepEqual(finds(), []);
    noteMail(mail(`Follow ${other}`));
    assert.equal(finds().length, 1);
  });
});
