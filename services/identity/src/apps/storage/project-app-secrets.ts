/** The client secrets of apps: their digests. */
import { timingSafeEqual } from 'node:crypto';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type Expression, sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

export type AppSecret = {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};
export type AppSecretDigest = AppSecret & { readonly digest: Uint8Array };

const columns = ['id', 'lastFour', 'createdAt', 'lastUsedAt'] as const;
const mostSecrets = 2;
/** lastUsedAt is at most this much too old, so that a busy app is written once a minute. */
const lastUsedPrecisionMs = 60_000;

const digestsQuery = statement('identity_find_app_secrets', ({ projectAppId }: Params<{ projectAppId: string }>) =>
  query.selectFrom('project_app_secrets').where('projectAppId', '=', projectAppId).select(columns).select('digest').orderBy('createdAt'),
);

/** Oldest first. */
export async function findAppSecrets(reader: Reader, projectAppId: string): Promise<AppSecretDigest[]> {
  return reader.query(digestsQuery, { projectAppId });
}

/** The secrets of an app as JSON, for a query that reads the app, too. */
export function secretsOfApp(projectAppId: Expression<string>) {
  return query
    .selectFrom('project_app_secrets as s')
    .where('s.projectAppId', '=', projectAppId)
    .select(
      sql<SecretJson[] | null>`json_agg(json_build_object('id', s.id, 'digest', encode(s.digest, 'hex'), 'lastFour', s.last_four,
      'createdAt', s.created_at, 'lastUsedAt', s.last_used_at) ORDER BY s.created_at)`.as('secrets'),
    );
}

export type SecretJson = Omit<AppSecretDigest, 'digest'> & { readonly digest: string };

export function fromJson(secrets: readonly SecretJson[] | null): AppSecretDigest[] {
  const instant = (at: string) => new Date(at).toISOString();
  return (secrets ?? []).map(({ digest, createdAt, lastUsedAt, ...secret }) => ({
    ...secret,
    digest: Buffer.from(digest, 'hex'),
    createdAt: instant(createdAt),
    lastUsedAt: lastUsedAt === null ? null : instant(lastUsedAt),
  }));
}

/** The secret of the app that equals the given one. Every digest is compared, in constant time. */
export function matchAppSecret(secrets: readonly AppSecretDigest[], given: string): AppSecretDigest | undefined {
  const digest = hashToken(given);
  return secrets.filter((secret) => timingSafeEqual(secret.digest, digest))[0];
}

/** Marks a secret as used, at most once a minute. Usually there is nothing to write. */
export async function markAppSecretUsed(
  writer: Reader,
  { id, lastUsedAt }: Pick<AppSecret, 'id' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - lastUsedPrecisionMs).toISOString();
  if (lastUsedAt !== null && lastUsedAt > before) return;
  await writer.query(
    query
      .updateTable('project_app_secrets')
      .set({ lastUsedAt: now.toISOString() })
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', before)])),
  );
}

/**
 * Call it with the app locked (`lockProjectApp`): parallel calls then see each other. Undefined
 * when the app has two secrets already.
 */
export async function insertAppSecret(
  tx: Transaction,
  { id, projectAppId, secret }: { readonly id: string; readonly projectAppId: string; readonly secret: string },
  now: Date,
): Promise<AppSecret | undefined> {
  if ((await findAppSecrets(tx, projectAppId)).length >= mostSecrets) return undefined;
  return tx.one(
    query
      .insertInto('project_app_secrets')
      .values({ id, projectAppId, digest: hashToken(secret), lastFour: secret.slice(-4), createdAt: now.toISOString() })
      .returning(columns),
  );
}

/** Undefined also for a secret of another app. */
export async function deleteAppSecret(tx: Transaction, projectAppId: string, id: string): Promise<AppSecret | undefined> {
  return tx.one(query.deleteFrom('project_app_secrets').where('id', '=', id).where('projectAppId', '=', projectAppId).returning(columns));
}
