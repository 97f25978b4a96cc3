import { Badge, Checkbox, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { useProject } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { FormDialog } from '../parts/form/dialogs.tsx';
import { CreateButton, Delete, useEditDialog } from '../parts/form/edit.tsx';
import { Tagging } from '../parts/form/tagging.tsx';
import { useDraft } from '../parts/form/use-draft.ts';
import { useItem } from '../parts/form/use-item.ts';
import { useEditActions } from '../parts/list/edit-actions.ts';
import { List } from '../parts/list/list.tsx';
import { TagMarks } from '../parts/list/tag-mark.tsx';

type Resource = Item<'listResources'>;

export function Screen() {
  const { t } = useTexts();
  const scope = useProject();
  const dialog = useEditDialog('Resource');
  const actions = useEditActions('Resource');
  const resource = useItem('resources', dialog.id, (ids) => tessera.listResources({ scope, ids }));
  const create = <CreateButton needs="Resource:Create" label={t('newResource')} />;
  return (
    <>
      <Head title={t('resources')} text={t('resourcesText')}>
        {create}
      </Head>
      <List<Resource>
        name="resources"
        label={t('resources')}
        isTagged
        icon="box"
        empty={t('noResources')}
        sort="createdAt desc"
        load={(asked) => tessera.listResources({ scope, ...asked, relations: ['tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => name },
          { label: t('slug'), sort: 'slug', cell: ({ slug }) => <code>{slug}</code> },
          { label: t('resourceActions'), cell: ({ actions }) => actions.join(', ') || '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          {
            label: t('status'),
            cell: ({ isBuiltIn, isActive }) => (
              <Badge variant="light" color={isActive ? 'indigo' : 'gray'}>
                {t(isBuiltIn ? 'builtIn' : isActive ? 'active' : 'inactive')}
              </Badge>
            ),
          },
        ]}
        actions={({ id, isBuiltIn, isShared }) => (isBuiltIn || isShared ? [] : actions(id))}
      />
      <Tagging kind="Resource" />
      {dialog.name === 'create' ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && resource && !resource.isShared ? <Edit resource={resource} close={dialog.close} /> : null}
      {dialog.name === 'delete' && resource && !resource.isShared ? (
        <Delete
          name={resource.name}
          text={t('deleteResourceText')}
          run={() => tessera.deleteResource({ scope, id: resource.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function shown(resource?: Resource) {
  const { name = '', slug = '', description, actions = [], isActive = true, identifier } = resource ?? {};
  return { name, slug, description: description ?? '', actions, isActive, identifier: identifier ?? '', createPermissions: true };
}

function Edit({ resource, close }: { readonly resource?: Resource; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const draft = useDraft({
    initial: shown(resource),
    edits: resource && {
      thing: resource,
      show: shown,
      read: async () => (await tessera.listResources({ scope, ids: [resource.id] })).items[0],
    },
    keepAs: `resource ${resource?.id ?? scope.id}`,
    check: ({ name, slug, identifier }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      slug: /[:\s]/.test(slug.trim()) ? t('slugForm') : undefined,
      identifier: identifier.trim() === '' || URL.canParse(identifier.trim()) ? undefined : t('identifierForm'),
    }),
    send: async ({ createPermissions, ...values }, call) => {
      const body = {
        scope,
        ...values,
        name: values.name.trim(),
        description: values.description.trim() || null,
        identifier: values.identifier.trim() || null,
      };
      const { slug, ...unnamed } = body;
      const named = slug.trim() === '' ? unnamed : { ...unnamed, slug: slug.trim() };
      await (resource
        ? tessera.updateResource({ id: resource.id, ...named }, call)
        : tessera.createResource({ ...named, createPermissions }));
    },
    done: close,
  });
  const title = resource ? t('editNamed', { name: resource.name }) : t('newResource');
  return (
    <FormDialog title={title} draft={draft} submit={t(resource ? 'save' : 'create')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TextInput {...draft.text('slug')} label={t('slug')} description={t('slugHelp')} autoComplete="off" />
      <TagsInput {...draft.field('actions')} label={t('resourceActions')} description={t('actionsHelp')} acceptValueOnBlur />
      <TextInput {...draft.text('identifier')} label={t('identifierLabel')} description={t('identifierHelp')} autoComplete="off" />
      <Textarea {...draft.text('description')} label={t('description')} autosize minRows={2} />
      <Switch
        label={t('isActive')}
        checked={draft.values.isActive}
        onChange={({ currentTarget }) => draft.set('isActive', currentTarget.checked)}
      />
      {resource ? null : (
        <Checkbox
          label={t('createPermissions')}
          checked={draft.values.createPermissions}
          onChange={({ currentTarget }) => draft.set('createPermissions', currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}
