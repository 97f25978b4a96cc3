import { expect, test } from '@jest/globals';
import type { Credential } from './account.ts';
import { detailsOf, hasPrivatePart, issuers, keysOf, nameOf, type ProofFields, proofOf, wrongClaim } from './proof.ts';

const now = Date.parse('2026-11-26T12:00:00Z');
const fields: ProofFields = {
  type: 'secret',
  days: 'never',
  jwks: '',
  jwksUri: '',
  kind: 'github',
  issuer: ' https://token.actions.githubusercontent.com ',
  audience: 'https://iam.example.com',
  claims: '\n repository_id = 74 \nsub=repo:acme/api:ref=x:*\n',
};
const key = { kty: 'OKP', crv: 'Ed25519', x: 'abc', kid: '2026-11' };
const credential: Credential = {
  id: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11',
  type: 'secret',
  lastFour: 'wxyz',
  jwks: null,
  jwksUri: null,
  issuer: null,
  audience: null,
  claims: null,
  createdBy: 'p',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
};

test('only the fields of its type are sent, and the end that was chosen', () => {
  expect(proofOf(fields, now)).toStrictEqual({ type: 'secret' });
  expect(proofOf({ ...fields, days: '7' }, now)).toStrictEqual({ type: 'secret', expiresAt: '2026-12-03T12:00:00.000Z' });
  expect(proofOf({ ...fields, type: 'trust' }, now)).toStrictEqual({
    type: 'trust',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://iam.example.com',
    claims: { repository_id: '74', sub: 'repo:acme/api:ref=x:*' },
  });
  const address = { ...fields, type: 'jwks', jwksUri: 'https://machine.example.com/jwks.json ' } as const;
  expect(proofOf(address, now)).toStrictEqual({ type: 'jwks', jwksUri: 'https://machine.example.com/jwks.json' });
  expect(proofOf({ ...address, jwks: JSON.stringify(key) }, now)).toStrictEqual({ type: 'jwks', jwks: { keys: [key] } });
});

test('one key or a set of them is taken, and private parts are seen before anything is sent', () => {
  expect(keysOf(JSON.stringify({ keys: [key, key] }))?.keys).toHaveLength(2);
  for (const wrong of ['', 'x', '[]', 'null', '{"keys":[]}', '{"keys":["x"]}']) expect(keysOf(wrong)).toBeUndefined();
  expect(hasPrivatePart(JSON.stringify(key))).toBe(false);
  expect(hasPrivatePart(JSON.stringify({ keys: [key, { ...key, d: 'secret' }] }))).toBe(true);
});

test('a claim needs a name and a value, as those that the form proposes', () => {
  for (const wrong of ['sub', 'sub=', '=x', 'a b=c']) expect(wrongClaim(`repository_id=74\n${wrong}`)).toBe(wrong);
  expect(wrongClaim('sub=x\n\n')).toBeUndefined();
  // A proposal is sent only when its gaps are filled.
  expect(wrongClaim(issuers.github.claims)).toBe('repository_id=');
});

test('a credential is called by what tells it from the others', () => {
  const trust = { issuer: 'https://gitlab.com', audience: 'https://iam.example.com', claims: { project_id: '20' } };
  const all: readonly Credential[] = [
    credential,
    { ...credential, type: 'jwks', lastFour: null, jwks: { keys: [key] } },
    { ...credential, type: 'jwks', lastFour: null, jwksUri: 'https://machine.example.com/jwks.json' },
    { ...credential, type: 'trust', lastFour: null, ...trust },
  ];
  expect(all.map(nameOf)).toStrictEqual(['…wxyz', '2026-11', 'machine.example.com', 'gitlab.com']);
  expect(all.map(detailsOf)).toStrictEqual([
    [],
    ['OKP Ed25519 2026-11'],
    ['https://machine.example.com/jwks.json'],
    ['iss = https://gitlab.com', 'aud = https://iam.example.com', 'project_id = 20'],
  ]);
});
