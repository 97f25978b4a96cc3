import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { assertVersion, callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { operation } from '../../deps.ts';
import { lockServiceAccount, type ServiceAccountFields, updateServiceAccount as updateRow } from '../../storage/service-accounts.ts';
import {
  assertElevated,
  assertFresh,
  assertMayDirect,
  assertServiceAccount,
  credentialsOf,
  isSameList,
  requireServiceAccount,
  ServiceAccount,
  serviceFields,
  serviceScopeOf,
  serviceTenants,
  targetOf,
  toServiceAccount,
} from './service-account.ts';
import { ownersToTell, tellOwners } from './tell-owners.ts';

export const updateServiceAccount = operation({
  name: 'updateServiceAccount',
  summary:
    'Change a service account; only who may give the roles that it has and gets. Other networks and elevated operations end its tokens',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...Type.Partial(Type.Object(serviceFields)).properties }),
  output: ServiceAccount,
  access: { permission: 'ServiceAccount:Update', target: targetOf },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'FRESH_SIGN_IN_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.updated',
  events: ['serviceAccount.changed'],
  leaves: { ends: 'it is the organization’s: whoever may give its roles changes or deletes it' },
  rest: { method: 'PATCH', path: '/api/service-accounts/:id' },
  graphql: { field: 'updateServiceAccount', type: 'ServiceAccount' },

  async prepare({ id, roleIds, elevated, allowedNetworks }, context) {
    const judged = await requireServiceAccount(id, context);
    const after = elevated ?? judged.elevated;
    if (after.length > 0) assertFresh('ServiceAccount:Update', context);
    await assertServiceAccount({ allowedNetworks: allowedNetworks ?? judged.allowedNetworks }, roleIds ?? [], context);
    const held = await assertMayDirect(judged, context);
    const isMachine = callerOf(context).claims.service !== undefined;
    if (isMachine || elevated !== undefined || roleIds !== undefined) await assertElevated(after, roleIds ?? held, context);
    const isRaised = after.some((name) => !judged.elevated.includes(name));
    return { judged, held, owners: isRaised ? await ownersToTell(context) : undefined };
  },

  async handle({ scope: _scope, id, roleIds, ...given }, context, { judged, held, owners }) {
    const { tx, deps, now, emit, audit } = context;
    const scope = serviceScopeOf(context);
    const before = await lockServiceAccount(tx, scope, id);
    if (before === undefined) throw failures.notFound('ServiceAccount');
    await assertVersion(context.request, async () => before);
    // What was checked must still be so: another change may have come between.
    if (before.updatedAt !== judged.updatedAt) throw failures.conflict('ServiceAccount', 'updatedAt');
    const wanted = { ...before, ...given, roleIds: roleIds ?? before.roleIds };
    const ends = !isSameList(before.elevated, wanted.elevated) || !isSameList(before.allowedNetworks, wanted.allowedNetworks);
    const account = await updateRow(tx, id, { ...fieldsOf(wanted), generation: ends ? newId() : before.generation }, now);
    if (roleIds !== undefined)
      emit({ type: 'serviceAccount.changed', key: id, payload: { id, scope: wireScope(scopeOf(context)), roleIds: [...roleIds] } });
    if (owners !== undefined) await tellOwners(tx, owners, account, context);
    const roles = roleIds === undefined ? {} : { roleIds: roleIds.toSorted() };
    const states = { before: { ...before, roleIds: held.toSorted() }, after: { ...given, ...roles } };
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name: account.name }, ...states });
    const revocations = ends ? await deps.revoker.revokeValues(tx, [before.generation], now) : [];
    return { shown: await credentialsOf(tx, [account]), roleIds: roleIds ?? held, revocations };
  },

  async complete({ shown, roleIds, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    const [one] = shown;
    if (one === undefined) throw failures.notFound('ServiceAccount');
    return toServiceAccount(one, roleIds);
  },
});

function fieldsOf({ name, description, elevated, allowedNetworks, roleIds }: ServiceAccountFields): ServiceAccountFields {
  return { name, description, elevated, allowedNetworks, roleIds };
}
