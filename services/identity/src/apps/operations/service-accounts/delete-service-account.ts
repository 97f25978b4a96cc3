import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { operation } from '../../deps.ts';
import { deleteServiceAccountRow, lockServiceAccount } from '../../storage/service-accounts.ts';
import {
  assertMayDirect,
  requireServiceAccount,
  ServiceAccount,
  serviceScopeOf,
  serviceTenants,
  targetOf,
  toServiceAccount,
} from './service-account.ts';

export const deleteServiceAccount = operation({
  name: 'deleteServiceAccount',
  summary: 'Delete a service account; its tokens end at once, and what it vouches for stops',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: ServiceAccount,
  access: { permission: 'ServiceAccount:Delete', target: targetOf },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.deleted',
  events: ['serviceAccount.changed'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/service-accounts/:id' },
  graphql: { field: 'deleteServiceAccount', type: 'ServiceAccount' },

  async prepare({ id }, context) {
    await assertMayDirect(await requireServiceAccount(id, context), context);
  },

  async handle({ id }, context) {
    const { tx, deps, now, emit, audit } = context;
    const account = await lockServiceAccount(tx, serviceScopeOf(context), id);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    await deleteServiceAccountRow(tx, id, now);
    emit({ type: 'serviceAccount.changed', key: id, payload: { id, scope: wireScope(scopeOf(context)), roleIds: [] } });
    audit({ targetType: 'ServiceAccount', targetId: id, before: account, detail: { name: account.name } });
    return { account, revocations: await deps.revoker.revokeValues(tx, [account.generation], now) };
  },

  async complete({ account, revocations }, { deps, now }) {
    deps.revoker.announce(revocations);
    return toServiceAccount({ account: { ...account, deletedAt: now.toISOString() }, credentials: [] }, []);
  },
});
