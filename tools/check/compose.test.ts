import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
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

/** Certificates are mounted and migrations make the restricted role: no variable sets them. */
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
    expect(readers.size).toBeGreaterThan(50);
    const missing = [...readers].flatMap(([name, by]) =>
      notByCompose.test(name) ? [] : by.filter((service) => !(name in environmentOf(service))).map((service) => `${service}: ${name}`),
    );
    expect(missing).toStrictEqual([]);
  });

  test('has no secret, and no default for one', () => {
    const named = [...source.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|KEY|TOKEN)\w*)(.*?)\}/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [expression, , rest = ''] of named)
      expect(rest).toStrictEqualFor(`${expression} must stop compose when it is missing`, expect.stringMatching(/^:\?/));
    expect(source).not.toMatch(/(?:postgres|redis|nats):\/\/[^$\s]*:[^$\s]+@/);
  });

  test('gives each service its own database only, and keys alone the encryption key', () => {
    for (const service of services) {
      const own = Object.keys(environmentOf(service)).filter((name) => name.endsWith('_DATABASE_URL'));
      expect(own).toStrictEqual(service === 'gateway' ? [] : [`${service.toUpperCase()}_DATABASE_URL`]);
      expect('KEYS_ENCRYPTION_KEY' in environmentOf(service)).toBe(service === 'keys');
    }
  });

  test('opens the gateway alone to the outside', () => {
    expect(Object.keys(containers).filter((name) => containers[name]?.ports !== undefined)).toStrictEqual(['gateway']);
    for (const name of ['postgres', 'redis', 'nats', ...databaseServices])
      expect(Boolean(containers[name]?.networks?.includes('inside'))).toStrictEqualFor(name, true);
  });
});
