import { MultiSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { NavigationLink } from '../base/link.tsx';
import { useGrantOf } from '../base/project.ts';
import { pathOf, type Scope, usePlaceHere, useRoleScope } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { FormDialog } from '../parts/form/dialogs.tsx';
import { Difference } from '../parts/form/difference.tsx';
import { CreateButton, Delete, useEditDialog } from '../parts/form/edit.tsx';
import { Tagging } from '../parts/form/tagging.tsx';
import { useDraft } from '../parts/form/use-draft.ts';
import { useItem } from '../parts/form/use-item.ts';
import { useEditActions } from '../parts/list/edit-actions.ts';
import { List } from '../parts/list/list.tsx';
import { Origin } from '../parts/list/origin.tsx';
import { Since } from '../parts/list/since.tsx';
import { TagMarks } from '../parts/list/tag-mark.tsx';

type Group = Item<'listGroups'>;

export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const grant = useGrantOf(usePlaceHere());
  const dialog = useEditDialog('Group');
  const actions = useEditActions('Group');
  const group = useItem('groups', dialog.id, (ids) => tessera.listGroups({ scope, ids, relations: ['permissions'] }));
  const create = <CreateButton needs="Group:Create" label={t('newGroup')} />;
  return (
    <>
      <Head title={t('groups')} text={t('groupsText')}>
        {create}
      </Head>
      <List<Group>
        name="groups"
        label={t('groups')}
        isTagged
        icon="stack"
        empty={t('noGroups')}
        emptyText={t('noGroupsText')}
        load={(asked) => tessera.listGroups({ scope, ...asked, relations: ['permissions', 'tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: (group) => <Named group={group} /> },
          { label: t('description'), cell: ({ description }) => description ?? '–' },
          { label: t('permissions'), cell: ({ permissions }) => (permissions ?? []).map(({ name }) => name).join(', ') || '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          ...(grant ? [{ label: t('kind'), cell: ({ isShared }: Group) => <Origin isShared={isShared} /> }] : []),
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={({ id, isShared, roleId }) => (isShared || roleId !== null ? [] : actions(id))}
      />
      <Tagging kind="Group" />
      {dialog.name === 'create' ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && group && !group.isShared && group.roleId === null ? <Edit group={group} close={dialog.close} /> : null}
      {dialog.name === 'delete' && group && !group.isShared ? (
        <Delete
          name={group.name}
          text={t('deleteGroupText')}
          run={() => tessera.deleteGroup({ scope, id: group.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

/** The group of one role is changed there, by what is ticked. */
function Named({ group: { name, roleId } }: { readonly group: Group }) {
  const { t } = useTexts();
  const place = usePlaceHere();
  if (roleId === null) return name;
  return (
    <>
      {name}{' '}
      <Text size="sm">
        <NavigationLink to={pathOf(place, `roles/${roleId}`)}>{t('ofOneRole')}</NavigationLink>
      </Text>
    </>
  );
}

function shown(group?: Group) {
  return { name: group?.name ?? '', description: group?.description ?? '', permissionIds: (group?.permissions ?? []).map(({ id }) => id) };
}

async function readGroup(scope: Scope, id: string): Promise<Group | undefined> {
  return (await tessera.listGroups({ scope, ids: [id], relations: ['permissions'] })).items[0];
}

function Edit({ group, close }: { readonly group?: Group; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const { data } = useQuery({
    queryKey: ['console', 'permission choice', scope],
    queryFn: () => Array.fromAsync(tessera.listScopePermissions({ scope, limit: 100, sortField: 'name' })),
  });
  const choice = (data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const before = (group?.permissions ?? []).map(({ id }) => id);
  const draft = useDraft({
    initial: shown(group),
    edits: group && { thing: group, show: shown, read: () => readGroup(scope, group.id) },
    names: choice,
    keepAs: `group ${group?.id ?? scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, description, permissionIds }, call) => {
      const body = { scope, name: name.trim(), description: description.trim() || null, permissionIds };
      await (group ? tessera.updateGroup({ id: group.id, ...body }, call) : tessera.createGroup(body));
    },
    done: close,
  });
  const title = group ? t('editNamed', { name: group.name }) : t('newGroup');
  return (
    <FormDialog title={title} draft={draft} submit={t(group ? 'save' : 'create')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      <MultiSelect {...draft.field('permissionIds')} label={t('permissions')} data={choice} searchable />
      {group ? <Difference before={before} after={draft.values.permissionIds} names={choice} /> : null}
    </FormDialog>
  );
}
