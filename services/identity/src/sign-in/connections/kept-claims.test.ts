/** What is kept of a sign-in for the preview of a mapping (decision 41). */
import { describe, expect, test } from '@jest/globals';
import { readClaims } from './claims.ts';
import { keptClaimsOf } from './kept-claims.ts';

const person = { providerId: 'ada-0042', name: 'Ada Birch', email: 'ada@birch.example' };
const kept = (said: object, mapping: readonly { claim: string; value: string }[] = []) =>
  keptClaimsOf(
    { ...person, claims: readClaims(said) },
    mapping.map((line) => ({ ...line, roleId: '', grantId: null })),
  );
const bytesOf = (claims: unknown) => Buffer.byteLength(JSON.stringify(claims, null, 1).replaceAll(/\n */g, ' '));

describe('of a sign-in is kept', () => {
  test('what somebody does, and nothing of who it is', () => {
    const claims = {
      sub: 'ada-0042',
      name: 'Ada Birch',
      given_name: 'Ada',
      email: 'ada@birch.example',
      phone_number: '+49 1',
      birthdate: '1990',
      upn: 'ada@birch',
      oid: '77',
      picture: 'https://a',
      iss: 'https://i',
      aud: 'tessera',
      nonce: 'n',
      sid: 's',
      iat: 1,
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/mobilephone': '+49 2',
      'urn:oid:0.9.2342.19200300.100.1.3': 'ada@birch.example',
      groups: ['staff', 'ADA@birch.example'],
      department: 'Sales',
      alias: 'Ada Birch',
      'http://schemas.microsoft.com/ws/2008/06/identity/claims/role': 'editor',
    };
    expect(kept(claims).map(({ name, values }) => [name, ...values])).toStrictEqual([
      ['groups', 'staff'],
      ['department', 'Sales'],
      ['http://schemas.microsoft.com/ws/2008/06/identity/claims/role', 'editor'],
    ]);
  });

  test('no credential, and nothing that the database cannot keep', () => {
    const token = `eyJhbGciOiJub25lIn0.${'a'.repeat(20)}.b`;
    expect(kept({ access_token: 'x', client_secret: 'x', note: token, nul: 'a\0b', half: 'a\ud800', 'n\0': 'x', fine: 'a' })).toStrictEqual(
      [{ name: 'fine', values: ['a'], isCut: false }],
    );
  });

  test('four kilobytes at most, what is mapped first, and it says where values are left out', () => {
    const many = Array.from({ length: 200 }, (_, index) => `${'ö"'.repeat(20)}${index}`);
    const claims = kept({ groups: many, roles: many.map((one) => `r${one}`), department: 'Sales' }, [
      { claim: 'groups', value: many[199] ?? '' },
    ]);
    expect(claims.find(({ name }) => name === 'groups')).toMatchObject({ isCut: true, values: expect.arrayContaining([many[199]]) });
    expect(bytesOf(claims)).toBeLessThanOrEqual(4_096);
    expect(bytesOf(claims)).toBeGreaterThan(3_000);
    // A long one crowds out no short one.
    expect(kept({ groups: many, department: 'Sales' }).map(({ name, isCut }) => [name, isCut])).toStrictEqual([
      ['department', false],
      ['groups', true],
    ]);
  });
});
