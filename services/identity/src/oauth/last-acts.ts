/** What apps did last for people: from the logs of all services. */
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import type { ActingApp } from '../apps/storage/acting-apps.ts';
import { oauthIdOf } from '../ground/domain/project-app.ts';
import type { OauthDeps } from './deps.ts';

export type Act = { readonly action: string; readonly outcome: string; readonly at: string };
type Found = Act & { readonly key: string };

const most = 5;
const days = 30;

/** In the order of the rows, each the newest first. A log that does not answer is left out. */
export async function lastActsOf(
  rows: readonly ActingApp[],
  { auditLogs, logger }: Pick<OauthDeps, 'auditLogs' | 'logger'>,
  now: Date,
): Promise<readonly (readonly Act[])[]> {
  const acts = rows.map(({ userId, projectAppId, rootId, ...row }, index) => ({
    key: String(index),
    personId: userId,
    clientId: oauthIdOf(row),
    appId: projectAppId,
    rootId,
  }));
  return lastActs({ acts }, rows.length, { auditLogs, logger }, now);
}

/** What supporters did last: their tokens have the id of the access. */
export async function lastActsOfTokens(
  rows: readonly { readonly id: string; readonly userId: string }[],
  deps: Pick<OauthDeps, 'auditLogs' | 'logger'>,
  now: Date,
): Promise<readonly (readonly Act[])[]> {
  const tokens = rows.map(({ id, userId }, index) => ({ key: String(index), personId: userId, tokenId: id }));
  return lastActs({ tokens }, rows.length, deps, now);
}

async function lastActs(
  asked: object,
  count: number,
  { auditLogs, logger }: Pick<OauthDeps, 'auditLogs' | 'logger'>,
  now: Date,
): Promise<readonly (readonly Act[])[]> {
  if (count === 0) return [];
  const from = new Date(now.getTime() - days * 86_400_000).toISOString();
  const askedJson = JSON.stringify({ ...asked, from, limit: most });
  const answers = await Promise.all(
    auditLogs.map(async (log) => {
      try {
        return (await ignoreUnknownMethod(log.list({ askedJson, maxStaleMs: 0 })))?.rowsJson ?? [];
      } catch (error) {
        logger.warn({ err: error }, 'the last acts of apps could not be asked');
        return [];
      }
    }),
  );
  // The statements behind `acts` and `tokens` are the only thing that writes these texts.
  const found = answers.flat().map((row) => JSON.parse(row) as Found);
  const byKey = Map.groupBy(found, ({ key }) => key);
  return Array.from({ length: count }, (_item, index) =>
    (byKey.get(String(index)) ?? [])
      .map(({ action, outcome, at }) => ({ action, outcome, at: new Date(at).toISOString() }))
      .toSorted((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, most),
  );
}
