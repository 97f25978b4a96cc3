import { isId } from '@tessera/kernel/ids';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { findPeopleOfAddress, findPlatformPerson } from '../../../people/storage/blocked-people.ts';
import { operation } from '../../deps.ts';
import { PlatformUser, toPlatformUser } from './platform-person.ts';

export const findPlatformUsers = operation({
  ...ofPlatform,
  name: 'findPlatformUsers',
  summary: 'The people of the installation who have an address, or the one of an id',
  kind: 'query',
  input: strict({ search: Type.String({ minLength: 1, maxLength: 320, description: 'A whole address, or an id' }) }),
  output: Type.Object({ items: Type.Array(PlatformUser) }),
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED'],
  audit: { none: 'a look-up of people' },
  events: [],
  rest: { method: 'GET', path: '/api/platform/users' },
  graphql: { field: 'platformUsers', type: 'PlatformUserList' },

  async handle({ search }, { tx }) {
    const given = search.trim();
    const one = isId(given) ? await findPlatformPerson(tx, given) : undefined;
    const found = one === undefined ? await findPeopleOfAddress(tx, given.toLowerCase()) : [one];
    return { items: found.map(toPlatformUser) };
  },
});
