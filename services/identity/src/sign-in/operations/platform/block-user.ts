import { failures } from '@tessera/kernel/errors';
import { annotate, callerOf, Id, NameOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { takeAllTokensOfUser, takeTokensOfMachines } from '../../../apps/storage/project-app-tokens.ts';
import { endSupportOfPerson } from '../../../apps/storage/support-accesses.ts';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { setBlock } from '../../../people/storage/blocked-people.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { lockOtherAdministrators } from '../../../people/storage/platform-administrators.ts';
import { operation } from '../../deps.ts';
import { notifyPerson } from '../../factors/notify.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { endSessions } from '../../storage/sessions.ts';
import { PlatformUser, requirePlatformUser, toPlatformUser } from './platform-person.ts';

export const blockUser = operation({
  ...ofPlatform,
  name: 'blockUser',
  summary: 'Block a person: sessions, keys, apps and decisions refuse them everywhere, and no sign-in succeeds',
  kind: 'mutation',
  input: strict({
    id: Id,
    reason: Type.Optional(
      annotate(NameOf(500), { description: 'For administrators; the person is told that they are blocked, and no reason' }),
    ),
  }),
  output: PlatformUser,
  freshness: { minutes: 10 },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND', 'CONFLICT'],
  audit: 'user.blocked',
  events: ['user.restricted'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/platform/users/:id/block' },
  graphql: { field: 'blockUser', type: 'PlatformUser' },

  async handle({ id, reason = null }, context) {
    const { tx, now, deps, request, emit, audit } = context;
    if (id === callerOf(context).userId) throw failures.forbidden();
    // Before the person: two administrators who block each other wait here.
    const others = await lockOtherAdministrators(tx, id);
    // Waits for sign-ins and tokens that are being made; those after it find the block.
    if ((await lockPerson(tx, id)) === undefined) throw failures.notFound('User');
    const before = await requirePlatformUser(id, tx);
    if (before.isPlatformAdministrator && others === 0) throw failures.conflict('User', 'id');
    await setBlock(tx, id, { reason }, now);
    const after = await requirePlatformUser(id, tx);
    audit({
      targetType: 'User',
      targetId: id,
      before: { blockedAt: before.blockedAt, blockReason: before.blockReason },
      after: { blockedAt: after.blockedAt, blockReason: after.blockReason },
      detail: { name: after.name },
    });
    await endDeferredSignInsOf(tx, id);
    const sessions = await endSessions(tx, id);
    const ofApps = await takeTokensOfMachines(tx, '', [id]);
    const tokens = [...(await takeAllTokensOfUser(tx, id)), ...ofApps, ...(await endSupportOfPerson(tx, id, now))];
    emit({ type: 'user.restricted', key: id, payload: { userId: id, blockedAt: after.blockedAt } });
    if (before.blockedAt === null) await notifyPerson(tx, id, { template: 'account-blocked', language: request.language }, deps, now);
    return { after, revocations: await deps.revoker.revokeSessions(tx, [...sessions, ...tokens], now) };
  },

  async complete({ after, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return toPlatformUser(after);
  },
});
