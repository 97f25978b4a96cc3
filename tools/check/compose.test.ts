import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { repositoryFolder } from '../stack/repository.ts';
import { databaseServices, type Service, services } from '../stack/services.ts';

interface Container {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
}

function read(path: string) {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}
const source = read('docker-compose.yml');
const containers: Readonly<Record<string, Container>> = parse(source, { merge: true }).services;
function environmentOf(service: string) {
  return containers[service]?.environment ?? {};
}

/** Files of certificates are mounted, and the restricted role is the migrations': neither is set by a variable of one host. */
const notByCompose = /^(GRPC_TLS_|GATEWAY_TLS_|SECURITY_RLS_ROLE$|DATA_DIR$)/;

/** The reference: which service reads which variable. */
const readers = new Map(
  [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \|.*\| ([a-z, ]+) \|$/gm)].map(([, name = '', by = '']) => [
    name,
    by === 'all' ? services : (by.split(', ') as readonly Service[]),
  ]),
);

describe('docker-compose.yml', () => {
  test('passes every variable of the reference to each service that reads it', () => {
    assert.ok(readers.size > 50);
    const missing = [...readers].flatMap(([name, by]) =>
      notByCompose.test(name) ? [] : by.filter((service) => !(name in environmentOf(service))).map((service) => `${service}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  test('has no secret, and no default for one', () => {
    const named = [...source.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|KEY|TOKEN)\w*)(.*?)\}/g)];
    assert.ok(named.length > 10);
    for (const [expression, , rest = ''] of named) assert.match(rest, /^:\?/, `${expression} must stop compose when it is missing`);
    assert.doesNotMatch(source, /(?:postgres|redis|nats):\/\/[^$\s]*:[^$\s]+@/);
  });

  test('gives each service its own database only, and keys alone the encryption key', () => {
    for (const service of services) {
      const own = Object.keys(environmentOf(service)).filter((name) => name.endsWith('_DATABASE_URL'));
      assert.deepEqual(own, service === 'gateway' ? [] : [`${service.toUpperCase()}_DATABASE_URL`]);
      assert.equal('KEYS_ENCRYPTION_KEY' in environmentOf(service), service === 'keys');
    }
  });

  test('opens the gateway alone to the outside', () => {
    assert.deepEqual(
      Object.keys(containers).filter((name) => containers[name]?.ports !== undefined),
      ['gateway'],
    );
    for (const name of ['postgres', 'redis', 'nats', ...databaseServices]) assert.ok(containers[name]?.networks?.includes('inside'), name);
  });
});
