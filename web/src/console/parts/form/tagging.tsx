import { MultiSelect, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { parentScopeOf, type Scope, scopeOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from './dialogs.tsx';
import { type Kind, type Tagged, taggables } from './taggables.ts';
import { useDraft } from './use-draft.ts';
import { useWhyNot } from './use-item.ts';

/** The tags of the place that a thing of it can carry. */
export function useTagChoice(scope: Scope) {
  const { data } = useQuery({
    queryKey: ['console', 'tag choice', scope],
    queryFn: () => Array.fromAsync(tessera.listTags({ scope, limit: 100, sortField: 'name' })),
  });
  return data?.map(({ id, name }) => ({ value: id, label: name }));
}

/** The dialog that gives tags to a thing and takes them away, when the address asks for it. */
export function Tagging({ kind }: { readonly kind: Kind }) {
  const place = usePlaceHere();
  const dialog = useDialog();
  const scope = kind === 'Project' ? parentScopeOf(place) : scopeOf(place);
  const { data, error } = useQuery({
    queryKey: ['console', 'tagged', kind, scope, dialog.id],
    queryFn: async () => (await taggables[kind].read(scope, dialog.id ?? '')) ?? null,
    enabled: dialog.name === 'tags' && dialog.id !== undefined,
    gcTime: 0,
  });
  useWhyNot(dialog.id, data, error);
  return dialog.name === 'tags' && data ? <Edit kind={kind} scope={scope} thing={data} close={dialog.close} /> : null;
}

function shown({ tags = [], primaryTagId }: Tagged) {
  return { tagIds: tags.map(({ id }) => id), primaryTagId: primaryTagId ?? null };
}

type EditProps = { readonly kind: Kind; readonly scope: Scope; readonly thing: Tagged; readonly close: () => void };

function Edit({ kind, scope, thing, close }: EditProps) {
  const { t } = useTexts();
  const choice = useTagChoice(scope);
  const draft = useDraft({
    initial: shown(thing),
    edits: { thing, show: shown, read: () => taggables[kind].read(scope, thing.id) },
    names: choice ?? [],
    send: ({ tagIds, primaryTagId }, call) => {
      const primary = primaryTagId !== null && tagIds.includes(primaryTagId) ? primaryTagId : null;
      return taggables[kind].save(scope, thing.id, { tagIds, primaryTagId: primary }, call);
    },
    done: close,
  });
  const chosen = (choice ?? []).filter(({ value }) => draft.values.tagIds.includes(value));
  return (
    <FormDialog title={t('tagsOf', { name: thing.name })} draft={draft} submit={t('save')} close={close}>
      {choice?.length === 0 ? <Text c="dimmed">{t('tagsFirst')}</Text> : null}
      <MultiSelect
        {...draft.field('tagIds')}
        label={t('tags')}
        data={choice ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      <Select
        {...draft.field('primaryTagId')}
        label={t('primaryTag')}
        description={t('primaryTagHelp')}
        data={chosen}
        disabled={chosen.length === 0}
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
    </FormDialog>
  );
}
