import { callerOf, strict, writeAudit } from '@tessera/kernel/operation';
import Type from 'typebox';
import { toUser, User } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { readProfile } from './profile.ts';

export const deleteMyAccounts = operation({
  name: 'deleteMyAccounts',
  summary: 'Delete the caller’s accounts and the caller',
  kind: 'mutation',
  input: strict({ hardDelete: Type.Optional(Type.Boolean({ description: 'Remove the rows instead of hiding them' })) }),
  output: User,
  access: { signedIn: 'deletes the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'user.deleted',
  // tenancy decides, and finishes what it has begun. It emits accounts.closed, whose handler
  // deletes the user and emits user.deleted.
  events: ['user.deleted'],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'DELETE', path: '/api/me/accounts' },
  graphql: { field: 'deleteMyAccounts', type: 'User' },

  async prepare({ hardDelete = false }, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    const { person } = await readProfile(deps.database, userId);
    // Before tenancy changes anything: a request that fails or dies after that has left its actor
    // in the audit log.
    const entry = { targetType: 'User', targetId: userId, detail: { hardDelete } };
    await writeAudit(deps.database, { operation: 'deleteMyAccounts', action: 'user.deletion-requested', outcome: 'ok', entry }, context);
    await deps.tenancy.closeAccounts({ userId, hard: hardDelete }, { timeoutMs: 10_000 });
    return person;
  },

  async handle(_input, { now, audit }, person) {
    // The handler of accounts.closed has written it, with the deletion.
    audit({ isWritten: true });
    return { ...person, deletedAt: now.toISOString() };
  },

  async complete(person, { deps, response }) {
    deps.sessions.clearCookie(response);
    return toUser(person, deps.settings.appUrl);
  },
});
