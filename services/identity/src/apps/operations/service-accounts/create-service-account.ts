import { newId } from '@tessera/kernel/ids';
import { callerOf, exampleId, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { operation } from '../../deps.ts';
import { insertServiceAccount } from '../../storage/service-accounts.ts';
import {
  assertElevated,
  assertFresh,
  assertServiceAccount,
  ServiceAccount,
  serviceFields,
  serviceScopeOf,
  serviceTenants,
  toServiceAccount,
} from './service-account.ts';
import { ownersToTell, tellOwners } from './tell-owners.ts';

const { name, roleIds, ...others } = serviceFields;

export const createServiceAccount = operation({
  name: 'createServiceAccount',
  summary:
    'Make an account for a machine that acts for the organization or account, with roles of its own; it belongs to them, not to its maker',
  kind: 'mutation',
  input: strict({ ...scopeField, name, roleIds, ...Type.Partial(Type.Object(others)).properties }),
  output: ServiceAccount,
  access: { permission: 'ServiceAccount:Create' },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'FRESH_SIGN_IN_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.created',
  events: ['serviceAccount.changed'],
  leaves: { ends: 'it is the organization’s: whoever may give its roles changes or deletes it' },
  rest: { method: 'POST', path: '/api/service-accounts', status: 201 },
  graphql: { field: 'createServiceAccount', type: 'ServiceAccount' },
  example: { input: { roleIds: [exampleId('Role')] }, records: ['name', 'roleIds'] },

  async prepare({ roleIds: roles, elevated = [], allowedNetworks = [] }, context) {
    if (elevated.length > 0) assertFresh('ServiceAccount:Create', context);
    await assertServiceAccount({ allowedNetworks }, roles, context);
    await assertElevated(elevated, roles, context);
    return elevated.length > 0 ? ownersToTell(context) : undefined;
  },

  async handle({ scope: _scope, roleIds: roles, ...given }, context, owners) {
    const { tx, now, emit, audit } = context;
    const scope = serviceScopeOf(context);
    await holdScope(tx, scope.id);
    const fields = { description: null, elevated: [], allowedNetworks: [], ...given };
    const ids = { id: newId(), generation: newId(), createdBy: callerOf(context).userId };
    const account = await insertServiceAccount(tx, { ...fields, roleIds: roles, ...ids, scope }, now);
    const { id } = account;
    emit({ type: 'serviceAccount.changed', key: id, payload: { id, scope: wireScope(scopeOf(context)), roleIds: [...roles] } });
    if (owners !== undefined) await tellOwners(tx, owners, account, context);
    const after = { roleIds: roles.toSorted() };
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name: account.name, elevated: account.elevated }, after });
    return toServiceAccount({ account, credentials: [] }, roles);
  },
});
