import type { Input, Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import type { Rights } from '../../base/rights.ts';
import type { OrganizationScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { signInNameOf } from './sign-in-name.ts';

type Person = Item<'listUsers'>;
type Query = Input<'listUsers'>;
type Relation = NonNullable<Query['relations']>[number];

/** Lists people with their ways to sign in where the caller may read these, in one request. */
export async function listPeople(input: Query, { may }: Pick<Rights, 'may'>) {
  const relations: Relation[] = [...(input.relations ?? []), ...(may(waysPermission) ? (['authenticationMethods'] as const) : [])];
  return tessera.listUsers({ ...input, ...(relations.length === 0 ? {} : { relations }) });
}

/** Lists people of a grant's scope with their addresses, which are read where they are members. */
export async function listPeopleOfGrant(input: Query, organization: OrganizationScope) {
  const page = await tessera.listUsers(input);
  const ids = page.items.map(({ id }) => id);
  const members = ids.length === 0 ? [] : (await tessera.listOrganizationMembers({ scope: organization, ids, limit: ids.length })).items;
  const addresses = new Map(members.map(({ id, email }) => [id, email]));
  return { ...page, items: page.items.map((person) => ({ ...person, email: addresses.get(person.id) ?? null })) };
}

export const waysPermission = 'UserAuthenticationMethod:Query';

/** An address, or that there is no way to sign in; undefined where the caller may not read it. */
export function useSignInText() {
  const { t } = useTexts();
  return ({ authenticationMethods }: Pick<Person, 'authenticationMethods'>): string | undefined => {
    const name = signInNameOf(authenticationMethods);
    if (name.kind === 'hidden') return undefined;
    return name.kind === 'none' ? t('noSignIn') : name.text;
  };
}

/** The name of a person with what tells them apart: `Ada (ada@example.com)`. */
export function usePersonLabel() {
  const signInText = useSignInText();
  return (person: Pick<Person, 'name' | 'authenticationMethods'>): string => {
    const text = signInText(person);
    return text === undefined ? person.name : `${person.name} (${text})`;
  };
}
