import { Badge, MultiSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { CreateButton, Delete, useEditDialog } from '../../parts/form/edit.tsx';
import { Tagging } from '../../parts/form/tagging.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { useItem } from '../../parts/form/use-item.ts';
import { useEditActions } from '../../parts/list/edit-actions.ts';
import { List } from '../../parts/list/list.tsx';
import { TagMarks } from '../../parts/list/tag-mark.tsx';

type Role = Item<'listRoles'>;

export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const dialog = useEditDialog('Role');
  const navigate = useNavigate();
  const actions = useEditActions('Role', (id) => void navigate({ to: pathOf(place, `roles/${id}`), search: { do: 'edit' } }));
  const role = useItem('roles', dialog.id, (ids) => tessera.listRoles({ scope, ids }));
  const create = <CreateButton needs="Role:Create" label={t('newRole')} />;
  return (
    <>
      <Head title={t('roles')} text={t('rolesText')}>
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
          { label: t('description'), cell: ({ description }) => description ?? '–' },
          { label: t('groups'), cell: ({ groups }) => (groups ?? []).map(({ name }) => name).join(', ') || '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          {
            label: t('kind'),
            cell: ({ isBuiltIn }) => (
              <Badge variant="light" color={isBuiltIn ? 'gray' : 'indigo'}>
                {t(isBuiltIn ? 'builtIn' : 'ownKind')}
              </Badge>
            ),
          },
        ]}
        actions={({ id, isBuiltIn }) => (isBuiltIn ? [] : actions(id))}
      />
      <Tagging kind="Role" />
      {dialog.name === 'create' ? <NewRole close={dialog.close} /> : null}
      {dialog.name === 'delete' && role ? (
        <Delete name={role.name} text={t('deleteRoleText')} run={() => tessera.deleteRole({ scope, id: role.id })} close={dialog.close} />
      ) : null}
    </>
  );
}

function NewRole({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const { data } = useQuery({
    queryKey: ['console', 'group choice', scope],
    queryFn: () => Array.fromAsync(tessera.listGroups({ scope, limit: 100, sortField: 'name' })),
  });
  const choice = (data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const draft = useDraft({
    initial: { name: '', description: '', groupIds: [] as string[] },
    keepAs: `role ${scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, description, groupIds }) => {
      await tessera.createRole({ scope, name: name.trim(), description: description.trim() || null, groupIds });
    },
    done: close,
  });
  return (
    <FormDialog title={t('newRole')} draft={draft} submit={t('create')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      <MultiSelect {...draft.field('groupIds')} label={t('groups')} data={choice} searchable />
      {data?.length === 0 ? <Text c="dimmed">{t('groupsFirst')}</Text> : null}
    </FormDialog>
  );
}
