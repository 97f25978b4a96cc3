import { Checkbox, MultiSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { useIsProduct } from '../../base/project.ts';
import { useRoleScope } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { type Chosen, PeopleField } from '../../parts/person/people-field.tsx';
import { giveRole, useGivingScope } from './give.ts';
import { NewResource } from './new-resource.tsx';
import { TickTable } from './tick-table.tsx';
import { permissionsOf, type Source } from './ticks.ts';
import { useTicks } from './use-ticks.ts';

const noSources: ReadonlyMap<string, readonly Source[]> = new Map();

/** A role with what it gives and who gets it, on one screen. */
export function NewRole({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const tell = useTell();
  const scope = useRoleScope();
  const isProduct = useIsProduct();
  const { mayTick, resources, onOffer, newResourceIn } = useTicks();
  const givingScope = useGivingScope();
  const { data: groups = [] } = useQuery({
    queryKey: ['console', 'group choice', scope],
    queryFn: () => Array.fromAsync(tessera.listGroups({ scope, limit: 100, sortField: 'name' })),
  });
  const choice = groups.filter(({ roleId }) => roleId === null).map(({ id, name }) => ({ value: id, label: name }));
  const draft = useDraft({
    initial: {
      name: '',
      description: '',
      groupIds: [] as string[],
      ticked: [] as readonly string[],
      people: [] as readonly Chosen[],
      isGrantable: true,
    },
    keepAs: `role ${scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, description, groupIds, ticked, people, isGrantable }) => {
      const role = await tessera.createRole({
        scope,
        name: name.trim(),
        description: description.trim() || null,
        groupIds,
        ...(ticked.length === 0 ? {} : { permissions: permissionsOf(ticked) }),
        ...(isProduct ? { isGrantable } : {}),
      });
      if (givingScope === undefined || people.length === 0) return;
      const missed = await giveRole(givingScope, role.id, people);
      if (missed !== undefined) tell(t('roleMadeNotGiven', missed), 'failed');
    },
    done: close,
  });
  return (
    <FormDialog title={t('newRole')} draft={draft} submit={t('create')} close={close} size="xl">
      <div className="pair">
        <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
        <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      </div>
      {mayTick ? (
        <TickTable
          resources={resources}
          chosen={draft.values.ticked}
          change={(ticked) => draft.set('ticked', ticked)}
          sources={noSources}
          onOffer={onOffer}
        >
          {newResourceIn === undefined ? null : <NewResource scope={newResourceIn} />}
        </TickTable>
      ) : null}
      {choice.length === 0 ? null : (
        <MultiSelect {...draft.field('groupIds')} label={t('groups')} description={t('groupsHelp')} data={choice} searchable />
      )}
      {givingScope === undefined ? null : (
        <PeopleField
          scope={givingScope}
          label={t('giveTo')}
          chosen={draft.values.people}
          change={(people) => draft.set('people', people)}
        />
      )}
      {isProduct ? (
        <Checkbox
          label={t('isGrantable')}
          description={t('isGrantableHelp')}
          checked={draft.values.isGrantable}
          onChange={({ currentTarget }) => draft.set('isGrantable', currentTarget.checked)}
        />
      ) : null}
    </FormDialog>
  );
}
