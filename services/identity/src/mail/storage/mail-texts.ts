import type { Transaction } from '@tessera/kernel/postgres';
import { type ExpressionBuilder, sql } from 'kysely';
import { insertOrLock, type Locked } from '../../ground/storage/insert-or-lock.ts';
import { changedAt, query, type Tables } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { OwnText } from '../domain/own-text.ts';

export type TextPlace = { readonly organizationId: string; readonly template: string; readonly language: string };
export type TextRow = OwnText & { readonly updatedAt: string };

const columns = ['subject', 'body', 'updatedAt'] as const;

const at =
  ({ organizationId, template, language }: TextPlace) =>
  ({ and }: ExpressionBuilder<Tables, 'mail_texts'>) =>
    and({ organizationId, template, language });

export async function findMailText(reader: Reader, place: TextPlace): Promise<TextRow | undefined> {
  const [row] = await reader.query(query.selectFrom('mail_texts').where(at(place)).select(columns));
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

/** Writes the first text of a place, or locks the one that is there. */
export function lockMailText(tx: Transaction, place: TextPlace, first: OwnText, now: Date): Promise<Locked<TextRow>> {
  return insertOrLock(
    tx,
    query
      .insertInto('mail_texts')
      .values({ ...place, ...first, updatedAt: now.toISOString() })
      .onConflict((conflict) => conflict.columns(['organizationId', 'template', 'language']).doNothing()),
    query.selectFrom('mail_texts').where(at(place)).select(columns).forUpdate(),
  );
}

/** Of a text that is locked. */
export async function saveMailText(tx: Transaction, place: TextPlace, { subject, body }: OwnText, now: Date): Promise<string> {
  const change = { subject, body, updatedAt: changedAt(now) };
  const saved = await tx.one(query.updateTable('mail_texts').set(change).where(at(place)).returning('updatedAt'));
  return saved?.updatedAt ?? now.toISOString();
}

/** The text that was there, if one was. */
export async function deleteMailText(tx: Transaction, place: TextPlace): Promise<OwnText | undefined> {
  return tx.one(query.deleteFrom('mail_texts').where(at(place)).returning(['subject', 'body']));
}

/** Of organizations that have ended. */
export async function deleteMailTextsOf(tx: Transaction, organizationIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('mail_texts').where('organizationId', '=', ({ fn, val }) => fn.any(val(organizationIds))));
}
