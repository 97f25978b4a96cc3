import { failures } from '@tessera/kernel/errors';
import { Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { refusalOfToken } from '../../domain/signing-key.ts';
import { endKeysMadeBy, findApiKey, deleteApiKey as remove } from '../../storage/api-keys.ts';
import { insertRevocations } from '../../storage/revocations.ts';
import { ApiKeySchema, apiKeyScope, apiKeyTenants, placeOfInput, targetKey, toApiKey } from './api-key.ts';

export const deleteApiKey = operation({
  name: 'deleteApiKey',
  summary: 'Delete an API key; what it was exchanged for, and the keys made with it, stop working at once',
  kind: 'mutation',
  input: strict({ scope: apiKeyScope, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: ApiKeySchema,
  access: { permission: 'ApiKey:Delete', target: targetKey },
  scopes: apiKeyTenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'apiKey.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/api-keys/:id' },
  graphql: { field: 'deleteApiKey', type: 'ApiKey' },
  handle: async ({ scope, id, hardDelete = false }, { tx, audit, now, deps, ...context }) => {
    const place = placeOfInput({ scope }, context);
    const key = await findApiKey(tx, place, id);
    if (key === undefined || !(await remove(tx, place, id, { hard: hardDelete, now }))) throw failures.notFound('ApiKey');
    const ended = [id, ...(await endKeysMadeBy(tx, [id], now))];
    const revocations = ended.toSorted().map((each) => refusalOfToken(each, now, deps.lifetimes));
    await insertRevocations(tx, revocations);
    audit({ targetType: 'ApiKey', targetId: id, before: toApiKey(key), detail: { hardDelete } });
    return { key: { ...key, deletedAt: now.toISOString(), updatedAt: now.toISOString() }, revocations };
  },
  complete: async ({ key, revocations }, { deps }) => {
    deps.keyNotices.publishRevocations(revocations);
    return toApiKey(key);
  },
});
