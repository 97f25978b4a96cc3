/** Counts what apps ask for people, and tells the log of the place once when an hour is unusual. */
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { auditContextBehind } from '../ground/storage/audit-log.ts';
import type { AppsDeps } from './deps.ts';
import { type Unusual, unusualOf } from './domain/agent-requests.ts';
import { type AgentCount, addAgentRequests, noteUnusual, type PlaceHour } from './storage/agent-requests.ts';

const mostCounts = 500;
const mostRequests = 1_000_000;

function isCount({ clientId, userId, placeId, requests, refused }: AgentCount): boolean {
  const areIds = [userId, ...placeId.split(':')].every(isId);
  return areIds && clientId !== '' && requests >= 0 && requests <= mostRequests && refused >= 0 && refused <= requests;
}

export async function countAgentRequests(
  counts: readonly AgentCount[],
  { database, now }: Pick<AppsDeps, 'database'> & { readonly now: Date },
): Promise<void> {
  if (counts.length > mostCounts || !counts.every(isCount)) throw failures.badInput();
  await database.transaction(async (tx) => {
    for (const place of await addAgentRequests(tx, counts, now)) {
      const reason = unusualOf(place);
      if (reason !== undefined && (await noteUnusual(tx, place, now))) await auditUnusual(tx, { place, reason, now });
    }
  });
}

type Found = { readonly place: PlaceHour; readonly reason: Unusual; readonly now: Date };

async function auditUnusual(tx: Transaction, { place, reason, now }: Found): Promise<void> {
  const { projectAppId, placeId, scopeTenant, clientId, requests, refused, requestsBefore } = place;
  const detail = { clientId, reason, requests, refused, requestsBefore };
  const entry = { targetType: 'ProjectApp', targetId: projectAppId, scope: { tenant: scopeTenant, id: placeId }, detail };
  await writeAudit(tx, { operation: 'countAgentRequests', action: 'agent.unusual', outcome: 'ok', entry }, auditContextBehind({}, now));
}
