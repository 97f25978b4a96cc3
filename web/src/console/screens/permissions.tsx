import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { useRoleScope } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { PermissionForm } from '../parts/condition/permission-form.tsx';
import { CreateButton, Delete, useEditDialog } from '../parts/form/edit.tsx';
import { Tagging } from '../parts/form/tagging.tsx';
import { useItem } from '../parts/form/use-item.ts';
import { useEditActions } from '../parts/list/edit-actions.ts';
import { List } from '../parts/list/list.tsx';
import { TagMarks } from '../parts/list/tag-mark.tsx';

type Permission = Item<'listScopePermissions'>;

export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const dialog = useEditDialog('Permission');
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
        emptyText={t('noPermissionsText')}
        load={(asked) => tessera.listScopePermissions({ scope, ...asked, relations: ['resource', 'tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => name },
          { label: t('resource'), cell: ({ resource }) => resource?.name ?? '–' },
          { label: t('action'), sort: 'action', cell: ({ action }) => <code>{action}</code> },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          { label: t('condition'), cell: ({ condition }) => (condition === null ? t('always') : <code>{JSON.stringify(condition)}</code>) },
        ]}
        actions={({ id, isShared }) => (isShared ? [] : actions(id))}
      />
      <Tagging kind="Permission" />
      {dialog.name === 'create' ? <PermissionForm close={dialog.close} /> : null}
      {dialog.name === 'edit' && permission && !permission.isShared ? (
        <PermissionForm permission={permission} close={dialog.close} />
      ) : null}
      {dialog.name === 'delete' && permission && !permission.isShared ? (
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
