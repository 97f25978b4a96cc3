import { Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { conditionOf, faultOf } from '../condition/check.ts';
import { ConditionEditor } from '../condition/editor.tsx';
import { FormDialog } from '../form/dialogs.tsx';
import { CreateButton, Delete } from '../form/edit.tsx';
import { Tagging } from '../form/tagging.tsx';
import { useDraft } from '../form/use-draft.ts';
import { useEditActions } from '../list/edit-actions.ts';
import { List } from '../list/list.tsx';
import { TagMarks } from '../list/tag-mark.tsx';
import { useItem } from '../list/use-item.ts';
import { useDialog } from '../shell/address.ts';
import { useRoleScope } from '../shell/scope.ts';
import { Head } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';

type Permission = Item<'listScopePermissions'>;

export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const dialog = useDialog();
  const actions = useEditActions('Permission');
  const permission = useItem('permissions', dialog.id, (ids) => tessera.listScopePermissions({ scope, ids }));
  const create = <CreateButton needs="Permission:Create" label={t('newPermission')} />;
  return (
    <>
      <Head title={t('permissions')} text={t('permissionsText')}>
        {create}
      </Head>
      <List<Permission>
        name="permissions"
        label={t('permissions')}
        isTagged
        icon="lock"
        empty={t('noPermissions')}
        emptyText={t('permissionsText')}
        load={(asked) => tessera.listScopePermissions({ scope, ...asked, relations: ['resource', 'tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => name },
          { label: t('resource'), cell: ({ resource }) => resource?.name ?? '–' },
          { label: t('action'), sort: 'action', cell: ({ action }) => <code>{action}</code> },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          { label: t('condition'), cell: ({ condition }) => (condition === null ? t('always') : <code>{JSON.stringify(condition)}</code>) },
        ]}
        actions={({ id }) => actions(id)}
      />
      <Tagging kind="Permission" />
      {dialog.name === 'create' ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && permission ? <Edit permission={permission} close={dialog.close} /> : null}
      {dialog.name === 'delete' && permission ? (
        <Delete
          name={permission.name}
          text={t('deletePermissionText')}
          run={() => tessera.deletePermission({ scope, id: permission.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function shown(permission?: Permission) {
  return {
    name: permission?.name ?? '',
    description: permission?.description ?? '',
    resourceId: permission?.resourceId ?? null,
    action: permission?.action ?? null,
    condition: permission?.condition ? JSON.stringify(permission.condition, null, 2) : '',
  };
}

function Edit({ permission, close }: { readonly permission?: Permission; readonly close: () => void }) {
  const { t, language } = useTexts();
  const scope = useRoleScope();
  const { data: resources } = useQuery({
    queryKey: ['console', 'resource choice', scope],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100, sortField: 'name' })),
  });
  const draft = useDraft({
    initial: shown(permission),
    edits: permission && {
      ...{ thing: permission, show: shown },
      read: async () => (await tessera.listScopePermissions({ scope, ids: [permission.id] })).items[0],
    },
    names: (resources ?? []).map(({ id, name }) => ({ value: id, label: name })),
    keepAs: `permission ${permission?.id ?? scope.id}`,
    check: ({ name, resourceId, action, condition }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      resourceId: resourceId === null ? t('chooseResource') : undefined,
      action: action === null ? t('chooseAction') : undefined,
      condition: faultOf(condition, language),
    }),
    send: async ({ name, description, resourceId, action, condition }, call) => {
      const body = {
        ...{ scope, name: name.trim(), description: description.trim() || null },
        ...{ resourceId: resourceId ?? '', action: action ?? '', condition: conditionOf(condition) },
      };
      await (permission ? tessera.updatePermission({ id: permission.id, ...body }, call) : tessera.createPermission(body));
    },
    done: close,
  });
  const { resourceId } = draft.values;
  const resource = resources?.find(({ id }) => id === resourceId);
  const title = permission ? t('editNamed', { name: permission.name }) : t('newPermission');
  return (
    <FormDialog title={title} draft={draft} submit={t(permission ? 'save' : 'create')} close={close} size="lg">
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <div className="pair">
        <Select
          {...draft.field('resourceId')}
          label={t('resource')}
          data={(resources ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          searchable
        />
        <Select
          {...draft.field('action')}
          label={t('action')}
          data={resource?.actions ?? []}
          disabled={resource === undefined}
          searchable
        />
      </div>
      <Textarea {...draft.text('description')} label={t('description')} autosize minRows={1} />
      <ConditionEditor {...draft.field('condition')} />
    </FormDialog>
  );
}
