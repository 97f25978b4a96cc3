import { Checkbox, MultiSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useGrantOf, useIsProduct } from '../../base/project.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { CreateButton, Delete, useEditDialog } from '../../parts/form/edit.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { Tagging } from '../../parts/form/tagging.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { useItem } from '../../parts/form/use-item.ts';
import { useEditActions } from '../../parts/list/edit-actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Origin } from '../../parts/list/origin.tsx';
import { TagMarks } from '../../parts/list/tag-mark.tsx';

type Role = Item<'listRoles'>;

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
          { label: t('description'), cell: ({ description }) => description ?? '–' },
          { label: t('groups'), cell: ({ groups }) => (groups ?? []).map(({ name }) => name).join(', ') || '–' },
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

function NewRole({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const isProduct = useIsProduct();
  const { data } = useQuery({
    queryKey: ['console', 'group choice', scope],
    queryFn: () => Array.fromAsync(tessera.listGroups({ scope, limit: 100, sortField: 'name' })),
  });
  const choice = (data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const draft = useDraft({
    initial: { name: '', description: '', groupIds: [] as string[], isGrantable: true },
    keepAs: `role ${scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, description, groupIds, isGrantable }) => {
      await tessera.createRole({
        scope,
        name: name.trim(),
        description: description.trim() || null,
        groupIds,
        ...(isProduct ? { isGrantable } : {}),
      });
    },
    done: close,
  });
  return (
    <FormDialog title={t('newRole')} draft={draft} submit={t('create')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      <MultiSelect {...draft.field('groupIds')} label={t('groups')} data={choice} searchable />
      {isProduct ? (
        <Checkbox
          label={t('isGrantable')}
          description={t('isGrantableHelp')}
          checked={draft.values.isGrantable}
          onChange={({ currentTarget }) => draft.set('isGrantable', currentTarget.checked)}
        />
      ) : null}
      {data?.length === 0 ? <Text c="dimmed">{t('groupsFirst')}</Text> : null}
    </FormDialog>
  );
}
