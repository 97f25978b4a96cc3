import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { databaseServices, type Service, services } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';

interface Container {
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly required?: boolean }>>;
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
    const named = [...source.matchAll(/\$\{((?!\w+_URL\b)\w*(?:PASSWORD|SECRET|KEY|TOKEN)\w*)(.*?)\}/g)];
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
    const open = Object.entries(containers).filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
    expect(open.map(([name]) => name)).toStrictEqual(['gateway']);
    for (const name of ['postgres', 'redis', 'nats', ...databaseServices])
      expect(Boolean(containers[name]?.networks?.includes('inside'))).toStrictEqualFor(name, true);
  });

  test('starts what .env names, and the services without it when their URLs lead elsewhere', () => {
    const optional = Object.entries(containers).filter(([, { profiles }]) => profiles !== undefined);
    expect(optional.map(([name, { profiles }]) => [name, profiles])).toStrictEqual([
      ...['postgres', 'redis', 'nats'].map((name) => [name, [name]]),
      ['prometheus', ['observability']],
    ]);
    expect(read('deploy/generate-secrets.sh')).toContain('COMPOSE_PROFILES=postgres,redis,nats');
    for (const [name, { depends_on: needed = {} }] of Object.entries(containers))
      for (const [other] of optional)
        expect(needed[other]?.required ?? false).toStrictEqualFor(`${name} must start without ${other}`, false);
    const outside = {
      APP_URL: 'https://id.example',
      INTERNAL_AUTH_SECRET: 's',
      KEYS_ENCRYPTION_KEY: 'k',
      REDIS_URL: 'rediss://cache',
      NATS_URL: '',
      DATABASE_ADMIN_URL: '',
      ...Object.fromEntries(databaseServices.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, `postgres://db/${service}`])),
    };
    for (const name of [...services, 'migrate']) {
      const given = Object.entries(environmentOf(name)).map(([key, value]) => [key, interpolate(String(value ?? ''), outside)]);
      const { NATS_URL = '', REDIS_URL = 'rediss://cache', DATABASE_ADMIN_URL = '', ...others } = Object.fromEntries(given);
      expect([NATS_URL, REDIS_URL, DATABASE_ADMIN_URL]).toStrictEqualFor(name, ['', 'rediss://cache', '']);
      for (const [key, value] of Object.entries(others))
        if (key.endsWith('_DATABASE_URL')) expect(value).toStrictEqualFor(name, `postgres://db/${key.split('_')[0]?.toLowerCase()}`);
    }
    expect(() => interpolate(String(environmentOf('rbac').RBAC_DATABASE_URL), {})).toThrow('RBAC_DATABASE_PASSWORD');
    const inside = interpolate(String(environmentOf('rbac').RBAC_DATABASE_URL), { RBAC_DATABASE_PASSWORD: 'p' });
    expect(inside).toBe('postgres://tessera_rbac:p@postgres:5432/tessera');
  });
});

/** As Compose does it: defaults may contain variables, and are read only when needed. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  const at = text.indexOf('${');
  if (at === -1) return text;
  const end = closing(text, at + 2);
  const [, name = '', colon, operator, rest = ''] = /^(\w+)(:)?([-?])?(.*)$/s.exec(text.slice(at + 2, end)) ?? [];
  const value = variables[name];
  const isThere = value !== undefined && (colon === undefined || value !== '');
  if (!isThere && operator === '?') throw new Error(`${name} is missing`);
  const chosen = isThere ? value : operator === '-' ? interpolate(rest, variables) : '';
  return `${text.slice(0, at)}${chosen}${interpolate(text.slice(end + 1), variables)}`;
}

/** Where the brace ends that was opened before this place. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let place = from; place < text.length; place += 1) {
    if (text[place] === '{') depth += 1;
    if (text[place] === '}') depth -= 1;
    if (depth === 0) return place;
  }
  throw new Error(`a brace is open in ${text}`);
}
