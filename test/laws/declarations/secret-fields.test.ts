/** The schema of an operation marks its secret fields, and no log line shows them. */

import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger, markedFields } from '@tessera/kernel/telemetry';
import { operations as identity } from '../../../services/identity/src/operations/index.ts';
import { operations as keys } from '../../../services/keys/src/operations/index.ts';
import { operations as rbac } from '../../../services/rbac/src/operations/index.ts';
import { operations as tenancy } from '../../../services/tenancy/src/operations/index.ts';
import { openApiPaths } from '../../../tools/generate/openapi-paths.ts';

type Schemas = readonly { readonly name: string; readonly input: unknown; readonly output: unknown }[];

const services: Readonly<Record<string, Schemas>> = { identity, tenancy, rbac, keys };

/** The secret fields of all services. A new one is added here on purpose. */
const pinned = {
  identity: [
    'accessToken',
    'clientSecret',
    'code',
    'codeVerifier',
    'confirmPassword',
    'currentPassword',
    'newPassword',
    'password',
    'passwordHash',
    'recoveryCodes',
    'refreshToken',
    'secret',
    'token',
    'uri',
    'url',
  ],
  tenancy: ['password', 'secret', 'token'],
  rbac: [],
  keys: ['accessToken', 'clientSecret'],
};

const looksSecret = /password|passphrase|secret|token|verifier|credential|private|signature|hash|^code$|^otp$|^pin$/i;
/** Fields that look secret by name and are public. Each has its reason. */
const publicFields: Readonly<Record<string, string>> = {
  credential: 'answers one challenge of a browser, which is taken once',
  credentialId: 'names a credential, is none',
  credentials: 'names credentials, and shows none',
  lastUsedCredentialId: 'names a credential, is none',
  consistencyToken: 'says how recent an answer is, gives no access',
  hashAlgorithm: 'how a hash was made, not what it is',
  dpopBoundAccessTokens: 'whether the tokens of an app are bound to a key',
  idTokenSignedResponseAlg: 'how the ID tokens of an app are signed',
  hash: 'a link in the chain of the audit log, which is shown',
  secretId: 'names a secret, is none',
  tokenEndpointAuthMethod: 'how an app proves itself, not by what',
};

function marksOf(operations: Schemas): string[] {
  const names = operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]);
  return [...new Set(names)].sort();
}

/** The fields that look secret and carry no mark, as `operation.field`. */
function unmarkedOf(operations: Schemas): string[] {
  return operations.flatMap(({ name, input, output }) =>
    [input, output].flatMap((schema) => unmarkedIn(schema).map((field) => `${name}.${field}`)),
  );
}

function unmarkedIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.entries(schema.properties ?? {}) : [];
  const unmarked = own.filter(([name, property]) => looksSecret.test(name) && !(name in publicFields) && property?.secret !== true);
  return [...unmarked.map(([name]) => name), ...Object.values(schema).flatMap(unmarkedIn)];
}

/** Every log line of this service about these details, as text. */
function logged(operations: Schemas, details: object): string {
  const lines: string[] = [];
  const destination = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const secretFields = operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]);
  createLogger({ service: 'test', level: 'info', secretFields, destination }).info(details, 'a line');
  return lines.join('');
}

describe('secret fields', () => {
  for (const [service, operations] of Object.entries(services)) {
    test(`${service} marks exactly its pinned secret fields`, () =>
      expect(marksOf(operations)).toStrictEqual(pinned[service as keyof typeof pinned]));

    test(`every field of ${service} whose name looks secret is marked`, () => expect(unmarkedOf(operations)).toStrictEqual([]));

    test(`a log line of ${service} shows none of its secret fields`, () => {
      for (const name of marksOf(operations)) {
        const line = logged(operations, { [name]: 'hunter2', input: { nested: [{ [name]: 'hunter2' }] } });
        expect(line).toMatch(/a line/);
        expect(!line.includes('hunter2')).toStrictEqualFor(`${service} logs ${name}`, true);
      }
    });

    test(`the OpenAPI document of ${service} shows no mark`, () => {
      const paths = JSON.stringify(openApiPaths(operations as Parameters<typeof openApiPaths>[0]));
      expect(paths).not.toMatch(/"secret":true|"description":"secret/);
    });
  }

  test('a field that looks secret and has no mark is found', () => {
    const forgotten = { type: 'object', properties: { nested: { type: 'object', properties: { resetToken: { type: 'string' } } } } };
    expect(unmarkedOf([{ name: 'forget', input: forgotten, output: {} }])).toStrictEqual(['forget.resetToken']);
  });
});
