import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { refusalOfToken } from '../../domain/signing-key.ts';
import { endKeysMadeBy, findApiKey, revokeApiKey as revoke } from '../../storage/api-keys.ts';
import { insertRevocations } from '../../storage/revocations.ts';
import { ApiKeySchema, apiKeyScope, apiKeyTenants, placeOfInput, targetKey, toApiKey } from './api-key.ts';

export const revokeApiKey = operation({
  name: 'revokeApiKey',
  summary: 'Revoke an API key; what it was exchanged for, and the keys made with it, stop working at once. Revoking again changes nothing',
  kind: 'mutation',
  input: strict({ scope: apiKeyScope, id: Id }),
  output: ApiKeySchema,
  access: { permission: 'ApiKey:Revoke', target: targetKey },
  scopes: apiKeyTenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'apiKey.revoked',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/api-keys/:id/revoke' },
  graphql: { field: 'revokeApiKey', type: 'ApiKey' },
  handle: async ({ scope, id }, { tx, audit, now, deps, ...context }) => {
    const place = placeOfInput({ scope }, context);
    const isRevoked = await revoke(tx, place, id, callerOf(context).userId, now);
    const ended = isRevoked ? [id, ...(await endKeysMadeBy(tx, [id], now))] : [];
    const revocations = ended.toSorted().map((each) => refusalOfToken(each, now, deps.lifetimes));
    await insertRevocations(tx, revocations);
    const key = await findApiKey(tx, place, id);
    if (key === undefined) throw failures.notFound('ApiKey');
    const detail = { name: key.name };
    audit({ targetType: 'ApiKey', targetId: id, before: { isRevoked: !isRevoked }, after: { isRevoked: true }, detail });
    return { key, revocations };
  },
  complete: async ({ key, revocations }, { deps }) => {
    deps.keyNotices.publishRevocations(revocations);
    return toApiKey(key);
  },
});
