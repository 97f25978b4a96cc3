import { Select, TextInput } from '@mantine/core';
import type { Input, Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { useScope } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { FormDialog } from '../parts/form/dialogs.tsx';
import { CreateButton, Delete, useEditDialog } from '../parts/form/edit.tsx';
import { useDraft } from '../parts/form/use-draft.ts';
import { useItem } from '../parts/form/use-item.ts';
import { useEditActions } from '../parts/list/edit-actions.ts';
import { List } from '../parts/list/list.tsx';
import { Since } from '../parts/list/since.tsx';
import { TagMark } from '../parts/list/tag-mark.tsx';

type Tag = Item<'listTags'>;
type Color = Input<'createTag'>['color'];
const colors: readonly Color[] = [
  ...(['purple', 'indigo', 'blue', 'cyan', 'teal', 'emerald', 'sky', 'violet', 'rose'] as const),
  ...(['pink', 'fuchsia', 'gray', 'red', 'orange', 'amber', 'yellow', 'lime', 'green'] as const),
];

function knownColor(text: string | null | undefined): Color | undefined {
  return colors.find((color) => color === text);
}

export function Screen() {
  const { t } = useTexts();
  const scope = useScope();
  const dialog = useEditDialog('Tag');
  const actions = useEditActions('Tag');
  const tag = useItem('tags', dialog.id, (ids) => tessera.listTags({ scope, ids }));
  const inWords = (color: string) => {
    const known = knownColor(color);
    return known === undefined ? color : t(`color_${known}`);
  };
  const create = <CreateButton needs="Tag:Create" label={t('newTag')} />;
  return (
    <>
      <Head title={t('tags')} text={t('tagsText')}>
        {create}
      </Head>
      <List<Tag>
        name="tags"
        label={t('tags')}
        icon="tag"
        empty={t('noTags')}
        emptyText={t('noTagsText')}
        load={(asked) => tessera.listTags({ scope, ...asked })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name, color }) => <TagMark name={name} color={color} /> },
          { label: t('color'), sort: 'color', cell: ({ color }) => inWords(color) },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={({ id }) => actions(id)}
      />
      {dialog.name === 'create' ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && tag ? <Edit tag={tag} close={dialog.close} /> : null}
      {dialog.name === 'delete' && tag ? (
        <Delete name={tag.name} text={t('deleteTagText')} run={() => tessera.deleteTag({ scope, id: tag.id })} close={dialog.close} />
      ) : null}
    </>
  );
}

function shown(tag?: Tag) {
  return { name: tag?.name ?? '', color: knownColor(tag?.color) ?? ('blue' as const) };
}

function Edit({ tag, close }: { readonly tag?: Tag; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useScope();
  const draft = useDraft({
    initial: shown(tag),
    edits: tag && { thing: tag, show: shown, read: async () => (await tessera.listTags({ scope, ids: [tag.id] })).items[0] },
    keepAs: `tag ${tag?.id ?? scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, color }, call) => {
      const body = { scope, name: name.trim(), color };
      await (tag ? tessera.updateTag({ id: tag.id, ...body }, call) : tessera.createTag(body));
    },
    done: close,
  });
  const { value, error } = draft.field('color');
  return (
    <FormDialog
      title={tag ? t('editNamed', { name: tag.name }) : t('newTag')}
      draft={draft}
      submit={t(tag ? 'save' : 'create')}
      close={close}
    >
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <Select
        label={t('color')}
        data={colors.map((color) => ({ value: color, label: t(`color_${color}`) }))}
        value={value}
        error={error}
        allowDeselect={false}
        onChange={(chosen) => draft.set('color', knownColor(chosen) ?? 'blue')}
      />
    </FormDialog>
  );
}
