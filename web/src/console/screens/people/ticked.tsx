import { MultiSelect } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { type ProjectScope, useProject } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Several } from '../../parts/bulk/several.tsx';
import type { Thing } from '../../parts/bulk/use-run.ts';
import { useOwnRoleChoice } from '../../parts/form/roles.ts';
import { type Action, allowed } from '../../parts/list/actions.ts';
import { usePersonLabel } from '../../parts/person/people.ts';

type Person = Item<'listUsers'>;
/** What is to be done with which people, as they were when it was chosen, and where that was. */
export type Ticked = {
  readonly what: 'roles' | 'remove';
  readonly scope: ProjectScope;
  readonly people: readonly Person[];
  readonly forget: () => void;
};

/** What the menus of all these rows offer, and can be done without looking at each. */
export function useTickedActions(open: (ticked: Ticked) => void) {
  const { t } = useTexts();
  const { user } = useMe();
  const { may } = useRights();
  const scope = useProject();
  return (people: readonly Person[], forget: () => void): Action[] => {
    const mayAll = (permission: string) => people.every(({ id }) => may(permission, { id, createdBy: null }));
    const areOthers = people.every(({ id, memberRole }) => id !== user.id && !memberRole);
    const start = (what: Ticked['what']) => () => open({ what, scope, people, forget });
    return allowed(
      [mayAll('User:Update'), { label: t('giveRoles'), run: start('roles') }],
      [areOthers && mayAll('User:Delete'), { label: t('removeMember'), run: start('remove'), isDangerous: true }],
    );
  };
}

type DoProps = Ticked & { readonly close: () => void };

export function DoWithTicked({ what, scope, people, forget, close }: DoProps) {
  const { t, count } = useTexts();
  const labelOf = usePersonLabel();
  const things = people.map((person) => ({ id: person.id, name: labelOf(person) }));
  if (what === 'roles') return <GiveRoles scope={scope} things={things} close={close} done={forget} />;
  const number = { count: count(people.length) };
  return (
    <Several
      title={t('removeMany', number)}
      textOf={(who) => t('removeManyPeopleText', { who })}
      button={t('removeMember')}
      word={t('removeManyWord', number)}
      things={things}
      isToEnd
      send={({ id }) => tessera.deleteUser({ scope, id })}
      close={close}
      done={forget}
    />
  );
}

type GiveRolesProps = Pick<Ticked, 'scope'> & { readonly things: readonly Thing[]; readonly close: () => void; readonly done: () => void };

function GiveRoles({ scope, things, close, done }: GiveRolesProps) {
  const { t, count } = useTexts();
  const roles = useOwnRoleChoice();
  const [roleIds, setRoleIds] = useState<string[]>([]);
  // What each has now is read first: roles that another administrator gives meanwhile stay.
  const give = async ({ id }: Thing) => {
    const [person] = (await tessera.listUsers({ scope, ids: [id], relations: ['roles'] })).items;
    const own = (person?.roles ?? []).map((role) => role.id);
    await tessera.updateUser({ scope, id, roleIds: [...new Set([...own, ...roleIds])] }, { ifMatch: person });
  };
  return (
    <Several
      title={t('giveRolesMany', { count: count(things.length) })}
      textOf={(who) => t('giveRolesManyText', { who })}
      button={t('giveRoles')}
      things={things}
      isHarmless
      isReady={roleIds.length > 0}
      send={give}
      close={close}
      done={done}
    >
      <MultiSelect
        label={t('projectRoles')}
        data={roles}
        value={roleIds}
        onChange={setRoleIds}
        searchable
        data-autofocus
        comboboxProps={{ withinPortal: true }}
      />
    </Several>
  );
}
