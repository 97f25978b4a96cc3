import type { Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { OwnText } from '../domain/own-text.ts';

export type TextPlace = { readonly organizationId: string; readonly template: string; readonly language: string };
export type TextRow = OwnText & { readonly updatedAt: string };

const columns = ['subject', 'body', 'updatedAt'] as const;

export async function findMailText(reader: Reader, { organizationId, template, language }: TextPlace): Promise<TextRow | undefined> {
  const [row] = await reader.query(
    query
      .selectFrom('mail_texts')
      .where('organizationId', '=', organizationId)
      .where('template', '=', template)
      .where('language', '=', language)
      .select(columns),
  );
  return row;
}

/** Of the organization to whose project a client belongs. */
export async function findMailTextOfClient(
  reader: Reader,
  clientId: string,
  { template, language }: Pick<TextPlace, 'template' | 'language'>,
): Promise<TextRow | undefined> {
  const [row] = await reader.query(
    query
      .selectFrom('project_apps as app')
      .innerJoin('mail_texts as text', (join) => join.on(sql<boolean>`text.organization_id::text = split_part(app.scope_id, ':', 1)`))
      .where('app.clientId', '=', clientId)
      .where('app.deletedAt', 'is', null)
      .where('text.template', '=', template)
      .where('text.language', '=', language)
      .select(['text.subject', 'text.body', 'text.updatedAt']),
  );
  return row;
}

/** Writes the first text of a place, or locks the one that is there: one change at a time. */
export async function lockMailText(tx: Transaction, place: TextPlace, first: OwnText, now: Date): Promise<LockedText> {
  const { organizationId, template, language } = place;
  const made = await tx.execute(
    query
      .insertInto('mail_texts')
      .values({ ...place, ...first, updatedAt: now.toISOString() })
      .onConflict((conflict) => conflict.columns(['organizationId', 'template', 'language']).doNothing()),
  );
  const row = await tx.one(
    query
      .selectFrom('mail_texts')
      .where('organizationId', '=', organizationId)
      .where('template', '=', template)
      .where('language', '=', language)
      .select(columns)
      .forUpdate(),
  );
  // Gone again between the two: another change went back to the text of the product.
  return row === undefined ? lockMailText(tx, place, first, now) : { row, isFirst: made > 0 };
}
type LockedText = { readonly row: TextRow; readonly isFirst: boolean };

/** Of a text that is locked. */
export async function saveMailText(tx: Transaction, place: TextPlace, { subject, body }: OwnText, now: Date): Promise<string> {
  const saved = await tx.one(
    query
      .updateTable('mail_texts')
      .set({ subject, body, updatedAt: changedAt(now) })
      .where('organizationId', '=', place.organizationId)
      .where('template', '=', place.template)
      .where('language', '=', place.language)
      .returning('updatedAt'),
  );
  return saved?.updatedAt ?? now.toISOString();
}

/** The text that was there, if one was. */
export async function deleteMailText(tx: Transaction, { organizationId, template, language }: TextPlace): Promise<OwnText | undefined> {
  return tx.one(
    query
      .deleteFrom('mail_texts')
      .where('organizationId', '=', organizationId)
      .where('template', '=', template)
      .where('language', '=', language)
      .returning(['subject', 'body']),
  );
}

/** Of organizations that have ended. */
export async function deleteMailTextsOf(tx: Transaction, organizationIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('mail_texts').where('organizationId', '=', ({ fn, val }) => fn.any(val(organizationIds))));
}
