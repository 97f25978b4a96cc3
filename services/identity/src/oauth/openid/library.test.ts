/** Fails when a release of oidc-provider changes what `library.ts` reaches into. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import Provider, { ExternalSigningKey } from 'oidc-provider';

const { version } = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('oidc-provider/package.json'), 'utf8'));

test('the version is the one that these files were written for', () => expect(version).toBe('9.13.3'));

test('ExternalSigningKey has the interface that keys fill', () => {
  const members = Object.getOwnPropertyNames(ExternalSigningKey.prototype).toSorted();
  const expected = ['alg', 'constructor', 'crv', 'e', 'keyObject', 'key_ops', 'kid', 'kty', 'n', 'pub', 'sign', 'use', 'x', 'x5c', 'y'];
  expect(members).toStrictEqual(expected);
});

test('the models have the methods that are replaced', () => {
  const provider = new Provider('https://issuer.example');
  const { AccessToken, ClientCredentials, IdToken, RefreshToken, Session, Client } = provider;
  const replaced: readonly (readonly [object, readonly string[]])[] = [
    [AccessToken, ['find']],
    [AccessToken.prototype, ['generateTokenId', 'save']],
    [ClientCredentials, ['find']],
    [ClientCredentials.prototype, ['generateTokenId', 'save']],
    [RefreshToken.prototype, ['generateTokenId', 'consume', 'save']],
    [IdToken.prototype, ['payload']],
    [Reflect.get(provider, 'Claims').prototype, ['result']],
    [Session, ['get', 'findByUid']],
    [Session.prototype, ['sidFor', 'grantIdFor', 'ensureClientContainer', 'loginAccount', 'resetIdentifier', 'save', 'persist', 'destroy']],
    [Client.prototype, ['includeSid', 'compareClientSecret', 'backchannelLogout']],
  ];
  for (const [owner, names] of replaced) for (const name of names) expect(typeof Reflect.get(owner, name)).toBe('function');
});
