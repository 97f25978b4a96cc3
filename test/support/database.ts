import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, escapeIdentifier } from 'pg';
import { bootstrap, databaseUrl, loginUrl, withClient } from '../../tools/postgres/bootstrap.ts';
import { type DatabaseService, databaseServices } from '../../tools/services.ts';
import { migrate } from '../../tools/stack/migrate.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly name: string;
  /** The superuser's URL of this database. */
  readonly adminUrl: string;
  /** Each service's own login. */
  readonly urls: { readonly [service in DatabaseService]: string };
  /** A connection as the superuser, or with the given URL. It ends with the database. */
  connect(url?: string): Promise<Client>;
  /** Ends what is still connected, and removes the database. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Services whose migrations have run in it (once for all databases that ask for the same). */
  readonly migrated?: readonly DatabaseService[];
}

/**
 * A database of the caller's own, as `deploy/bootstrap.sql` leaves it. It lives on the server of
 * TEST_DATABASE_ADMIN_URL, which the set-up of the run starts.
 */
export async function createTestDatabase({ migrated = [] }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = serverUrl();
  const template = await ensureTemplate(server, [...migrated].sort());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withClient(server, (client) => copyDatabase(client, template, name));
  const adminUrl = databaseUrl(server, name);
  const connected: Client[] = [];
  const connect = async (url = adminUrl) => {
    const client = new Client(url);
    connected.push(client);
    await client.connect();
    return client;
  };
  const drop = async () => {
    await Promise.all(connected.map((client) => client.end()));
    await withClient(server, (client) => client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`));
  };
  return { name, adminUrl, urls: serviceUrls(server, name), connect, drop, [Symbol.asyncDispose]: drop };
}

function serverUrl(): string {
  const given = process.env.TEST_DATABASE_ADMIN_URL;
  if (!given) throw new Error('TEST_DATABASE_ADMIN_URL names no server: the set-up of the run starts one.');
  return given;
}

/** Derived from the server's URL, because logins belong to the server, not to a database. */
function password(server: string, service: DatabaseService): string {
  return createHmac('sha256', server).update(service).digest('base64url');
}

function serviceUrls(server: string, database: string): TestDatabase['urls'] {
  const url = (service: DatabaseService) => loginUrl(server, database, service, password(server, service));
  return { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') };
}

/** The first caller creates the template under a lock and renames it when it is complete. */
async function ensureTemplate(server: string, migrated: readonly DatabaseService[]): Promise<string> {
  const template = `template_${fingerprint(migrated)}`;
  return withClient(server, async (client) => {
    if (await exists(client, template)) return template;
    await client.query('SELECT pg_advisory_lock(hashtext($1))', ['tessera.template']);
    if (await exists(client, template)) return template;
    const partial = `partial_${randomUUID().replaceAll('-', '')}`;
    const passwords = Object.fromEntries(databaseServices.map((service) => [service, password(server, service)]));
    await bootstrap(server, partial, passwords);
    const urls = serviceUrls(server, partial);
    await migrate(Object.fromEntries(migrated.map((service) => [service, urls[service]])));
    await client.query(`ALTER DATABASE ${escapeIdentifier(partial)} RENAME TO ${escapeIdentifier(template)}`);
    return template;
  });
}

async function exists(client: Client, database: string): Promise<boolean> {
  return (await client.query('SELECT FROM pg_database WHERE datname = $1', [database])).rowCount === 1;
}

function fingerprint(migrated: readonly DatabaseService[]): string {
  const owners = migrated.map((service) => join('services', service));
  const files = ['kernel', ...owners].map((owner) => join(repositoryFolder, owner, 'migrations')).flatMap(filesIn);
  const hash = createHash('sha256');
  for (const file of [join(repositoryFolder, 'deploy', 'bootstrap.sql'), ...files]) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 24);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

/**
 * A copy has everything but the rights on the database itself. Its files are copied as they are:
 * otherwise each page goes through the log, which takes three times the time.
 */
async function copyDatabase(client: Client, template: string, name: string): Promise<void> {
  const database = escapeIdentifier(name);
  await client.query(`CREATE DATABASE ${database} TEMPLATE ${escapeIdentifier(template)} STRATEGY FILE_COPY`);
  const logins = databaseServices.map((service) => escapeIdentifier(`tessera_${service}`)).join(', ');
  await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC; GRANT CONNECT ON DATABASE ${database} TO ${logins}`);
}
