import { bootstrap, type LoginPasswords } from '../postgres/bootstrap.ts';
import { type DatabaseService, databaseServices, variablePrefix } from '../services.ts';
import { migrate } from '../stack/migrate.ts';

/**
 * The migration job of a deployment: migrates every schema with its service's own login. With
 * DATABASE_ADMIN_URL (a superuser) it first creates databases, logins and schemas by
 * `deploy/bootstrap.sql`, with the passwords of the services' URLs.
 */
const urls = readUrls(process.env);
const adminUrl = process.env.DATABASE_ADMIN_URL;
if (adminUrl) {
  for (const database of new Set(Object.values(urls).map(databaseOf))) await bootstrap(adminUrl, database, passwordsIn(database));
  console.log('bootstrapped');
}
await migrate(urls);
console.log(`migrated: ${databaseServices.join(', ')}`);

function readUrls(environment: NodeJS.ProcessEnv): Readonly<Record<DatabaseService, string>> {
  const url = (service: DatabaseService) => environment[`${variablePrefix(service)}_DATABASE_URL`] ?? '';
  const missing = databaseServices.filter((service) => url(service) === '').map((service) => `${variablePrefix(service)}_DATABASE_URL`);
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);
  return { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') };
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

function passwordsIn(database: string): LoginPasswords {
  const there = databaseServices.filter((service) => databaseOf(urls[service]) === database);
  return Object.fromEntries(there.map((service) => [service, decodeURIComponent(new URL(urls[service]).password)]));
}
