/** What apps ask for people, by hours (docs/decisions/026). */
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { type HourCount, hourOf, keptHours } from '../domain/agent-requests.ts';
import type { ActingKey } from './acting-apps.ts';

export type AgentCount = {
  readonly clientId: string;
  readonly userId: string;
  readonly placeId: string;
  readonly requests: number;
  readonly refused: number;
};

/** An app at a place, with its hour now and the requests of the hours before. */
export type PlaceHour = {
  readonly projectAppId: string;
  readonly placeId: string;
  readonly clientId: string;
  readonly scopeTenant: 'accountProject' | 'organizationProject';
  readonly requests: number;
  readonly refused: number;
  readonly requestsBefore: number;
};

// Text, because Kysely has no record sets. Rows are locked in one order, so that reports of two
// gateways wait for each other at most. A client id in OAuth may be the address of a document.
const addQuery = statement(
  'identity_add_agent_requests',
  `WITH counted AS (
     SELECT g.project_app_id, g.place_id, g.user_id, sum(c.requests)::integer AS requests, sum(c.refused)::integer AS refused
     FROM jsonb_to_recordset($1::jsonb) AS c("clientId" text, "userId" uuid, "placeId" text, requests integer, refused integer)
     JOIN acting_apps AS g ON g.user_id = c."userId" AND g.place_id = c."placeId"
     JOIN project_apps AS a ON a.id = g.project_app_id AND coalesce(a.document_url, a.client_id) = c."clientId" AND a.deleted_at IS NULL
     GROUP BY g.project_app_id, g.place_id, g.user_id
   ), of_people AS (
     INSERT INTO agent_requests AS r (project_app_id, place_id, user_id, hour, requests, refused)
     SELECT project_app_id, place_id, user_id, $2::timestamptz, requests, refused FROM counted ORDER BY 1, 2, 3
     ON CONFLICT (project_app_id, place_id, user_id, hour)
     DO UPDATE SET requests = r.requests + excluded.requests, refused = r.refused + excluded.refused
   )
   INSERT INTO agent_place_requests AS r (project_app_id, place_id, hour, requests, refused)
   SELECT project_app_id, place_id, $2::timestamptz, sum(requests)::integer, sum(refused)::integer FROM counted GROUP BY 1, 2 ORDER BY 1, 2
   ON CONFLICT (project_app_id, place_id, hour)
   DO UPDATE SET requests = r.requests + excluded.requests, refused = r.refused + excluded.refused
   RETURNING r.project_app_id AS "projectAppId", r.place_id AS "placeId"`,
);

const placesQuery = statement(
  'identity_find_agent_places',
  `SELECT t."projectAppId", t."placeId", coalesce(a.document_url, a.client_id) AS "clientId", a.scope_tenant AS "scopeTenant",
     sum(r.requests) FILTER (WHERE r.hour = $2)::integer AS requests, sum(r.refused) FILTER (WHERE r.hour = $2)::integer AS refused,
     coalesce(sum(r.requests) FILTER (WHERE r.hour < $2), 0)::float8 AS "requestsBefore"
   FROM jsonb_to_recordset($1::jsonb) AS t("projectAppId" uuid, "placeId" text)
   JOIN project_apps AS a ON a.id = t."projectAppId"
   JOIN agent_place_requests AS r ON r.project_app_id = t."projectAppId" AND r.place_id = t."placeId" AND r.hour >= $3
   GROUP BY 1, 2, 3, 4 HAVING bool_and(r.noted_at IS NULL OR r.hour < $2)`,
);

/** Counts of an app that does not act for the person there are left out. */
export async function addAgentRequests(tx: Transaction, counts: readonly AgentCount[], now: Date): Promise<PlaceHour[]> {
  const hour = hourOf(now);
  const places = await tx.query(addQuery, [JSON.stringify(counts), hour.toISOString()]);
  if (places.length === 0) return [];
  const since = new Date(hour.getTime() - keptHours * 3_600_000);
  return tx.query<PlaceHour>(placesQuery, [JSON.stringify(places), hour.toISOString(), since.toISOString()]);
}

/** False when this hour has been noted. */
export async function noteUnusual(tx: Transaction, { projectAppId, placeId }: PlaceHour, now: Date): Promise<boolean> {
  const rows = query.updateTable('agent_place_requests').where('projectAppId', '=', projectAppId).where('placeId', '=', placeId);
  const ofHour = rows.where('hour', '=', hourOf(now).toISOString()).where('notedAt', 'is', null);
  return (await tx.query(ofHour.set({ notedAt: now.toISOString() }).returning('projectAppId'))).length > 0;
}

/** In no order. */
export async function listAgentRequests(reader: Reader, keys: readonly ActingKey[]): Promise<(ActingKey & HourCount)[]> {
  if (keys.length === 0) return [];
  return reader.query(
    query
      .selectFrom('agent_requests')
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('projectAppId', 'placeId', 'userId'),
          'in',
          keys.map((key) => tuple(key.projectAppId, key.placeId, key.userId)),
        ),
      )
      .select(['projectAppId', 'placeId', 'userId', 'hour', 'requests', 'refused']),
  );
}

export async function deleteOldAgentRequests(tx: Transaction, now: Date): Promise<void> {
  const before = new Date(hourOf(now).getTime() - keptHours * 3_600_000).toISOString();
  await tx.execute(query.deleteFrom('agent_requests').where('hour', '<', before));
  await tx.execute(query.deleteFrom('agent_place_requests').where('hour', '<', before));
}
