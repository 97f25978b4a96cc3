import { Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useRoleScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../form/dialogs.tsx';
import { useDraft } from '../form/use-draft.ts';
import { conditionOf, faultOf } from './check.ts';
import { ConditionEditor } from './editor.tsx';

type Permission = Omit<Item<'listScopePermissions'>, 'resource' | 'tags'>;
type FormProps = { readonly permission?: Permission; readonly close: () => void };

function shown(permission?: Permission) {
  return {
    name: permission?.name ?? '',
    description: permission?.description ?? '',
    resourceId: permission?.resourceId ?? null,
    action: permission?.action ?? null,
    condition: permission?.condition ? JSON.stringify(permission.condition, null, 2) : '',
  };
}

/** Makes or changes a permission: an action of a resource, under a condition if one is wanted. */
export function PermissionForm({ permission, close }: FormProps) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const { data: resources } = useQuery({
    queryKey: ['console', 'resource choice', scope],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100, sortField: 'name' })),
  });
  const draft = useDraft({
    initial: shown(permission),
    edits: permission && {
      thing: permission,
      show: shown,
      read: async () => (await tessera.listScopePermissions({ scope, ids: [permission.id] })).items[0],
    },
    names: (resources ?? []).map(({ id, name }) => ({ value: id, label: name })),
    keepAs: `permission ${permission?.id ?? scope.id}`,
    check: ({ name, resourceId, action, condition }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      resourceId: resourceId === null ? t('chooseResource') : undefined,
      action: action === null ? t('chooseAction') : undefined,
      condition: faultOf(condition),
    }),
    send: async ({ name, description, resourceId, action, condition }, call) => {
      const body = {
        scope,
        name: name.trim(),
        description: description.trim() || null,
        resourceId: resourceId ?? '',
        action: action ?? '',
        condition: conditionOf(condition),
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
          onChange={(id) => draft.change({ resourceId: id, action: null })}
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
