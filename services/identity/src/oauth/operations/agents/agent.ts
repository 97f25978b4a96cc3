/** Apps that act for people, in the API. */
import { Id, Nullable, type OperationContext, Timestamp } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import { askedOf } from '../../../apps/domain/agent-requests.ts';
import type { ActingApp, ActingKey } from '../../../apps/storage/acting-apps.ts';
import { listAgentRequests } from '../../../apps/storage/agent-requests.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import type { OauthDeps } from '../../deps.ts';
import { lastActsOf } from '../../last-acts.ts';

const Asked = Type.Object(
  { requests: Type.Integer(), refused: Type.Integer({ description: 'Of these: with 401, 403 or 429' }) },
  { description: 'What it asked of this installation, about; counted at the gateway, some seconds late' },
);

export const agentFields = {
  app: Type.Object({
    clientId: Type.String(),
    name: Type.String(),
    domain: Nullable(Type.String({ description: 'The host that its sign-ins lead to, if they lead to one' })),
    documentUrl: Nullable(Type.String({ description: 'Of a client that is known by a document; `domain` is then its host' })),
  }),
  project: Type.Object({ id: Id, name: Nullable(Type.String()), scope: Type.Object({ tenant: Type.String(), id: Type.String() }) }),
  organization: Nullable(Type.Object({ name: Type.String() })),
  scopes: Type.Array(Type.String(), { description: 'At most; empty for an app that has a role' }),
  isByExchange: Type.Boolean({ description: 'It acts by the token of another app, and not after a sign-in to it' }),
  grantedAt: Timestamp,
  lastUsedAt: Timestamp,
  endedAt: Nullable(annotatedEnd('the person')),
  endedByOrganizationAt: Nullable(annotatedEnd('the organization')),
  lastHour: Asked,
  lastDay: Asked,
  lastActions: Type.Array(Type.Object({ action: Type.String(), outcome: Type.String(), at: Timestamp }), {
    description: 'Of the last 30 days, the newest first, five at most',
  }),
};
const AgentRecord = Type.Object(agentFields);

function annotatedEnd(who: string) {
  return Type.String({ description: `ISO 8601, UTC, milliseconds: since when ${who} lets it do nothing` });
}

type Context = Pick<OperationContext<OauthDeps>, 'deps' | 'now'>;

/** Other services are asked after the transaction, so that no connection waits for them. */
export async function toAgents(rows: readonly ActingApp[], { deps, now }: Context): Promise<Static<typeof AgentRecord>[]> {
  const scopes: Scope[] = rows.flatMap(({ scopeTenant: tenant, scopeId, placeId, rootId }) => [
    { tenant, id: scopeId },
    scopeId === placeId ? { tenant, id: placeId } : { tenant: 'organization', id: rootId },
  ]);
  const [names, acts, hours] = await Promise.all([
    namesOfScopes(scopes, deps),
    lastActsOf(rows, deps, now),
    listAgentRequests(deps.database, rows),
  ]);
  const hoursByKey = Map.groupBy(hours, keyOf);
  return rows.map(({ clientId, documentUrl, name, redirectUris, scopeTenant: tenant, scopeId: id, ...row }, index) => ({
    app: { clientId, name, domain: documentUrl === null ? domainOf(redirectUris) : new URL(documentUrl).host, documentUrl },
    project: { id: id.slice(id.indexOf(':') + 1), name: names[2 * index]?.project ?? null, scope: { tenant, id } },
    organization: toName(names[2 * index + 1]?.organization ?? null),
    scopes: [...row.scopes],
    isByExchange: row.isByExchange,
    grantedAt: row.firstUsedAt,
    lastUsedAt: row.lastUsedAt,
    endedAt: row.endedAt,
    endedByOrganizationAt: row.endedByOrganizationAt,
    ...askedOf(hoursByKey.get(keyOf(row)) ?? [], now),
    lastActions: [...(acts[index] ?? [])],
  }));
}

function keyOf({ userId, projectAppId, placeId }: ActingKey): string {
  return `${userId} ${projectAppId} ${placeId}`;
}

function toName(name: string | null) {
  return name === null ? null : { name };
}

/** A private scheme belongs to no host. */
function domainOf(redirectUris: readonly string[]): string | null {
  const [web] = redirectUris.flatMap((uri) => (/^https?:/.test(uri) && URL.canParse(uri) ? [new URL(uri).hostname] : []));
  return web ?? null;
}
