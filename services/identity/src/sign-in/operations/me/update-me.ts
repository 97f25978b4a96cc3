import { failures } from '@tessera/kernel/errors';
import { assertVersion, callerOf, Metadata, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { PersonName } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { lockPerson, updatePerson } from '../../../people/storage/people.ts';
import { findPlatformAdministrator } from '../../../people/storage/platform-administrators.ts';
import { operation } from '../../deps.ts';
import { confirmedKinds } from '../../storage/second-factors.ts';
import { Me, showProfile } from './profile.ts';

export const updateMe = operation({
  name: 'updateMe',
  summary: 'Change one’s name or metadata',
  kind: 'mutation',
  input: strict({ name: Type.Optional(PersonName), metadata: Type.Optional(Metadata) }),
  output: Me,
  access: { signedIn: 'changes the caller only' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['SERVICE_UNAVAILABLE'],
  audit: 'user.updated',
  events: ['user.updated'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/me' },
  graphql: { field: 'updateMyUser', type: 'Me' },

  async handle({ name, metadata }, context) {
    const { tx, now, emit, audit } = context;
    const { userId } = callerOf(context);
    await assertVersion(context.request, () => lockPerson(tx, userId));
    const change = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) };
    const before = await lockPerson(tx, userId);
    const person = await updatePerson(tx, userId, change, now);
    if (person === undefined) throw failures.unauthenticated();
    const methods = await listMethods(tx, [userId]);
    emit(await userUpdated(tx, userId));
    audit({ targetType: 'User', targetId: userId, ...(before && { before }), after: change });
    const { isAdministrator: isPlatformAdministrator } = await findPlatformAdministrator(tx, userId);
    return { person, methods, accounts: person.accounts, factors: await confirmedKinds(tx, userId), isPlatformAdministrator };
  },
  complete: showProfile,
});
