import { failures } from '@tessera/kernel/errors';
import { Id, strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { setBlock } from '../../../people/storage/blocked-people.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { notifyPerson } from '../../factors/notify.ts';
import { PlatformUser, requirePlatformUser, toPlatformUser } from './platform-person.ts';

export const unblockUser = operation({
  ...ofPlatform,
  name: 'unblockUser',
  summary: 'End the block of a person: they may sign in again; no session or token from before comes back',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: PlatformUser,
  freshness: { minutes: 10 },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: 'user.unblocked',
  events: ['user.restricted'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/platform/users/:id/unblock' },
  graphql: { field: 'unblockUser', type: 'PlatformUser' },

  async handle({ id }, { tx, now, deps, request, emit, audit }) {
    if ((await lockPerson(tx, id)) === undefined) throw failures.notFound('User');
    const before = await requirePlatformUser(id, tx);
    await setBlock(tx, id, null, now);
    const after = await requirePlatformUser(id, tx);
    audit({
      targetType: 'User',
      targetId: id,
      before: { blockedAt: before.blockedAt, blockReason: before.blockReason },
      after: { blockedAt: null, blockReason: null },
      detail: { name: after.name },
    });
    emit({ type: 'user.restricted', key: id, payload: { userId: id, blockedAt: null } });
    if (before.blockedAt !== null) await notifyPerson(tx, id, { template: 'account-unblocked', language: request.language }, deps, now);
    return after;
  },

  async complete(after, { deps }) {
    deps.mailer.poke();
    return toPlatformUser(after);
  },
});
