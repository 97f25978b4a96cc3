import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { builtInRoleInWords } from '../../base/built-in-words.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useGrantOf } from '../../base/project.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { CreateButton, Delete, useEditDialog } from '../../parts/form/edit.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { Tagging } from '../../parts/form/tagging.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { useEditActions } from '../../parts/list/edit-actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Origin } from '../../parts/list/origin.tsx';
import { TagMarks } from '../../parts/list/tag-mark.tsx';
import { NewRole } from './new-role.tsx';

type Role = Item<'listRoles'>;

/** Without the one that the role has of its own. */
function namesOf(groups: Role['groups']): string {
  return (groups ?? [])
    .filter(({ roleId }) => roleId === null)
    .map(({ name }) => name)
    .join(', ');
}

export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const grant = useGrantOf(place);
  const dialog = useEditDialog('Role');
  const navigate = useNavigate();
  const actions = useEditActions('Role', (id) => void navigate({ to: pathOf(place, `roles/${id}`), search: { do: 'edit' } }));
  const role = useItem('roles', dialog.id, (ids) => tessera.listRoles({ scope, ids }));
  const create = <CreateButton needs="Role:Create" label={t('newRole')} />;
  return (
    <>
      <Head title={t('roles')} text={grant ? t('rolesOfGrantText', { product: grant.project.name }) : t('rolesText')}>
        {create}
      </Head>
      <List<Role>
        name="roles"
        label={t('roles')}
        isTagged
        icon="shield"
        empty={t('noRoles')}
        emptyText={t('noRolesText')}
        load={(asked) => tessera.listRoles({ scope, ...asked, relations: ['groups', 'tags'] })}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: ({ id, name }) => <NavigationLink to={pathOf(place, `roles/${id}`)}>{name}</NavigationLink>,
          },
          { label: t('description'), cell: (role) => role.description ?? builtInRoleInWords(role) ?? '–' },
          { label: t('groups'), cell: ({ groups }) => namesOf(groups) || '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          {
            label: t('kind'),
            cell: ({ name, isBuiltIn, isShared, isGrantable }) => (
              <>
                <Origin isBuiltIn={isBuiltIn} isShared={isShared} />
                {isForMachines({ name, isBuiltIn }) ? (
                  <Text size="sm" c="dimmed">
                    {t('forServiceAccounts')}
                  </Text>
                ) : null}
                {isGrantable ? null : (
                  <Text size="sm" c="dimmed">
                    {t('notGrantable')}
                  </Text>
                )}
              </>
            ),
          },
        ]}
        actions={({ id, isBuiltIn, isShared }) => (isBuiltIn || isShared ? [] : actions(id))}
      />
      <Tagging kind="Role" />
      {dialog.name === 'create' ? <NewRole close={dialog.close} /> : null}
      {dialog.name === 'delete' && role && !role.isShared ? (
        <Delete name={role.name} text={t('deleteRoleText')} run={() => tessera.deleteRole({ scope, id: role.id })} close={dialog.close} />
      ) : null}
    </>
  );
}
