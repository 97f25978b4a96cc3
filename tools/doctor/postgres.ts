import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEnvelope } from '@tessera/kernel/guard';
import { connectToWritable } from '@tessera/kernel/postgres';
import type pg from 'pg';
import { clockFinding } from '../../packages/cli/src/doctor/clock.ts';
import { about, type Finding, reasonOf, within } from '../../packages/cli/src/doctor/finding.ts';
import type { DatabaseService } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';

interface Settings {
  /** Of keys alone. */
  readonly KEYS_ENCRYPTION_KEY?: readonly Buffer[];
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
  readonly SECURITY_ENABLE_RLS: boolean;
  readonly SECURITY_RLS_ROLE: string;
}

const oldestVersion = 15;

const facts = `
  SELECT current_setting('server_version_num')::int / 10000 AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at_ms,
    role.rolsuper OR role.rolbypassrls AS ignores_policies,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS is_encrypted,
    inet_server_addr() IS NOT NULL AND host(inet_server_addr()) NOT IN ('127.0.0.1', '::1') AS is_remote,
    EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has_schema,
    EXISTS (SELECT FROM pg_roles WHERE rolname = $2 AND pg_has_role(current_user, oid, 'MEMBER')) AS has_restricted_role
  FROM pg_roles role WHERE rolname = current_user`;

/** Whether the service can work with its database: reachable, its own login, migrated, in time. */
export async function checkPostgres(service: DatabaseService, config: Settings, timeoutMs: number): Promise<Finding[]> {
  const { error } = about('postgres', service);
  let client: pg.Client | undefined;
  try {
    client = await connectToWritable(config.DATABASE_URL, { connectionTimeoutMillis: timeoutMs, application_name: 'tessera doctor' });
    client.on('error', () => undefined);
    return await within(timeoutMs, look(client, service, config));
  } catch (thrown) {
    return [error(`cannot be used: ${reasonOf(thrown)}`)];
  } finally {
    await client?.end().catch(() => undefined);
  }
}

async function look(client: pg.Client, service: DatabaseService, config: Settings): Promise<Finding[]> {
  const { ok, note, unsafe, error } = about('postgres', service);
  const askedMs = Date.now();
  const { rows } = await client.query(facts, [service, `${config.SECURITY_RLS_ROLE}_${service}`]);
  const [found] = rows;
  const clock = clockFinding(`postgres of ${service}`, { atMs: found.at_ms, askedMs, answeredMs: Date.now(), resolutionMs: 0 });
  const findings = [ok(`answers, version ${found.version}`), clock];
  if (found.version < oldestVersion) findings.push(error(`version ${found.version} is older than ${oldestVersion}`));
  if (found.connections < config.DATABASE_POOL_SIZE)
    findings.push(error(`allows ${found.connections} connections, fewer than one replica may open (${config.DATABASE_POOL_SIZE})`));
  else if (found.connections < config.DATABASE_POOL_SIZE * 8)
    findings.push(note(`allows ${found.connections} connections: all replicas of all services must fit into them`));
  if (found.ignores_policies) findings.push(unsafe('the login is a superuser or has BYPASSRLS, so no policy holds it'));
  if (found.is_remote && !found.is_encrypted) findings.push(unsafe('the connection is not encrypted: add sslmode=verify-full to its URL'));
  if (!found.has_schema) return [...findings, error(`has no schema ${service}: run deploy/bootstrap.sql`)];
  if (config.SECURITY_ENABLE_RLS && service !== 'identity' && !found.has_restricted_role)
    findings.push(error(`the login is no member of ${config.SECURITY_RLS_ROLE}_${service}: run deploy/bootstrap.sql`));
  const sealed = config.KEYS_ENCRYPTION_KEY === undefined ? [] : await sealedFindings(client, config.KEYS_ENCRYPTION_KEY);
  return [...findings, ...(await migrationFindings(client, service)), ...sealed];
}

/** As keys asks at its start: is there an encryption key here for everything that is sealed? */
async function sealedFindings(client: pg.Client, encryptionKeys: readonly Buffer[]): Promise<Finding[]> {
  const { ok, error } = about('encryption', 'keys');
  const { rows: tables } = await client.query<{ there: boolean }>(`SELECT to_regclass('keys.sealed_secrets') IS NOT NULL AS there`);
  if (tables[0]?.there !== true) return [];
  const { rows } = await client.query<{ id: string }>(
    `SELECT encryption_key_id AS id FROM keys.signing_keys WHERE private_key IS NOT NULL UNION SELECT encryption_key_id FROM keys.sealed_secrets`,
  );
  const { keyIds } = createEnvelope(encryptionKeys);
  const missing = rows.map(({ id }) => id).filter((id) => !keyIds.includes(id));
  if (missing.length === 0) return [ok('KEYS_ENCRYPTION_KEY opens everything that is sealed')];
  return [
    error(
      `KEYS_ENCRYPTION_KEY lacks the keys ${missing.join(', ')}, under which signing keys are sealed: add the one from your safe, ` +
        'after the present one (docs/rotation.md)',
    ),
  ];
}

async function migrationFindings(client: pg.Client, service: DatabaseService): Promise<Finding[]> {
  const { ok, note, error } = about('postgres', service);
  const sets = [
    ['kernel_migrations', join(repositoryFolder, 'kernel', 'migrations')],
    ['migrations', join(repositoryFolder, 'services', service, 'migrations')],
  ] as const;
  const pending: string[] = [];
  const unknown: string[] = [];
  for (const [table, folder] of sets) {
    const files = readdirSync(folder).flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -'.sql'.length)] : []));
    const { rows: tables } = await client.query(`SELECT to_regclass(format('%I.%I', $1::text, $2::text)) IS NOT NULL AS there`, [
      service,
      table,
    ]);
    const { rows } = tables[0].there ? await client.query(`SELECT name FROM ${service}.${table}`) : { rows: [] };
    const applied = new Set<string>(rows.map(({ name }) => name));
    pending.push(...files.filter((name) => !applied.has(name)).toSorted());
    unknown.push(...[...applied].filter((name) => !files.includes(name)).toSorted());
  }
  if (pending.length > 0)
    return [error(`${pending.length} migrations are pending: run the migration job (${pending.slice(0, 5).join(', ')})`)];
  if (unknown.length > 0) return [note(`is newer than this code: it also has ${unknown.slice(0, 5).join(', ')}`)];
  return [ok('every migration has run')];
}
