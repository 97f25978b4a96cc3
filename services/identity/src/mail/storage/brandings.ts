import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { insertOrLock, type Locked } from '../../ground/storage/insert-or-lock.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { FaceFields } from '../domain/face.ts';

export type BrandingScope = { readonly tenant: 'organization' | 'accountProject' | 'organizationProject'; readonly id: string };
export type BrandingRow = FaceFields & { readonly place: string; readonly updatedAt: string };

const columns = [
  'place',
  'name',
  'logoPath',
  'primaryColor',
  'backgroundColor',
  'termsUrl',
  'privacyUrl',
  'supportEmail',
  'updatedAt',
] as const;

/** The places whose fields count for a scope or an app in it, the nearest first. */
export function placesOf({ tenant, id }: BrandingScope, appId?: string): string[] {
  const organization = tenant === 'organizationProject' ? [id.slice(0, id.indexOf(':'))] : [];
  return [...(appId === undefined ? [] : [appId]), id, ...organization];
}

const findQuery = statement('identity_find_brandings', (p: Params<{ places: readonly string[] }>) =>
  query
    .selectFrom('brandings')
    .where('place', '=', ({ fn }) => fn.any(p.places))
    .select(columns),
);

/** In the order of the places; those without a row are left out. */
export async function findBrandings(reader: Reader, places: readonly string[]): Promise<BrandingRow[]> {
  const rows = await reader.query(findQuery, { places });
  return rows.toSorted((one, other) => places.indexOf(one.place) - places.indexOf(other.place));
}

const ofClientQuery = statement('identity_find_brandings_of_client', (p: Params<{ clientId: string }>) =>
  query
    .selectFrom('project_apps as app')
    .innerJoin('brandings', (join) =>
      join.on(sql<boolean>`brandings.place = ANY (ARRAY[app.id::text, app.scope_id, split_part(app.scope_id, ':', 1)])`),
    )
    .where('app.clientId', '=', p.clientId)
    .where('app.deletedAt', 'is', null)
    .select(columns.map((name) => `brandings.${name}` as const))
    // The app's own id has no colon and is not where its project's begins.
    .orderBy(sql`CASE brandings.place WHEN app.id::text THEN 0 WHEN app.scope_id THEN 1 ELSE 2 END`),
);

/** Those that count for an app, the nearest first; none for a client that does not exist. */
export async function findBrandingsOfClient(reader: Reader, clientId: string): Promise<BrandingRow[]> {
  return reader.query(ofClientQuery, { clientId });
}

/** Whether any tenant has one. */
export async function hasBrandings(reader: Reader): Promise<boolean> {
  return (await reader.query(query.selectFrom('brandings').select('place').limit(1))).length > 0;
}

/** The row of a place, made if there is none, and locked. */
export function lockBranding(tx: Transaction, place: string, scope: BrandingScope, now: Date): Promise<Locked<BrandingRow>> {
  return insertOrLock(
    tx,
    query
      .insertInto('brandings')
      .values({ place, scopeTenant: scope.tenant, scopeId: scope.id, updatedAt: now.toISOString() })
      .onConflict((conflict) => conflict.column('place').doNothing()),
    query.selectFrom('brandings').where('place', '=', place).select(columns).forUpdate(),
  );
}

/** Without any field the place has no row. Returns when it was changed. */
export async function saveBranding(tx: Transaction, place: string, fields: FaceFields, now: Date): Promise<string | null> {
  if (Object.values(fields).every((value) => value === null)) {
    await tx.execute(query.deleteFrom('brandings').where('place', '=', place));
    return null;
  }
  const saved = await tx.one(
    query
      .updateTable('brandings')
      .set({ ...fields, updatedAt: changedAt(now) })
      .where('place', '=', place)
      .returning('updatedAt'),
  );
  return saved?.updatedAt ?? null;
}

/** Keeps the path of a picture that nothing refers to any more, until a job deletes the file. */
export async function discardPictures(tx: Transaction, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await tx.execute(
    query
      .insertInto('discarded_pictures')
      .values(paths.map((path) => ({ path })))
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Of organizations and projects that have ended, with those of their apps. */
export async function deleteBrandingsIn(tx: Transaction, scopeIds: readonly string[]): Promise<void> {
  const gone = await tx.query(
    query
      .deleteFrom('brandings')
      .where('scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds)))
      .returning('logoPath'),
  );
  await discardPictures(
    tx,
    gone.flatMap(({ logoPath }) => logoPath ?? []),
  );
}

export async function deleteBrandingOf(tx: Transaction, place: string): Promise<void> {
  const gone = await tx.one(query.deleteFrom('brandings').where('place', '=', place).returning('logoPath'));
  await discardPictures(tx, gone?.logoPath == null ? [] : [gone.logoPath]);
}
