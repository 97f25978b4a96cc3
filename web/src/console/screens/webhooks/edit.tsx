import { MultiSelect, Switch, TextInput } from '@mantine/core';
import type { Item, Output } from '@tessera/client';
import { auditActions } from '../../../../../proto/generated/audit-actions.ts';
import { tessera } from '../../../session/tessera.ts';
import { useRoleScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { actionInWords } from '../../parts/audit/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

export type Webhook = Item<'listWebhooks'>;
export type NewWebhook = Output<'createWebhook'>;

const outcomes = ['ok', 'refused', 'failed'] as const;
type Outcome = (typeof outcomes)[number];

function shown(webhook?: Webhook) {
  const { url = '', description = '', eventTypes = ['*'], outcomes: wanted = ['ok' as const], isActive = true } = webhook ?? {};
  return { url, description, eventTypes: [...eventTypes], outcomes: [...wanted] as Outcome[], isActive };
}

type EditProps = { readonly webhook?: Webhook; readonly close: () => void; readonly made?: (webhook: NewWebhook) => void };

export function Edit({ webhook, close, made }: EditProps) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const draft = useDraft({
    initial: shown(webhook),
    edits: webhook && {
      thing: webhook,
      show: shown,
      read: async () => (await tessera.listWebhooks({ scope, ids: [webhook.id] })).items[0],
    },
    keepAs: `webhook ${webhook?.id ?? scope.id}`,
    check: ({ url, eventTypes, outcomes: wanted }) => ({
      url: url.trim() === '' ? t('enterAnAddress') : undefined,
      eventTypes: eventTypes.length === 0 ? t('chooseEvents') : undefined,
      outcomes: wanted.length === 0 ? t('chooseOutcomes') : undefined,
    }),
    send: async ({ url, description, ...values }, call) => {
      const body = { scope, url: url.trim(), description: description.trim(), ...values };
      if (webhook) await tessera.updateWebhook({ id: webhook.id, ...body }, call);
      else made?.(await tessera.createWebhook(body));
    },
    done: close,
  });
  // A query stands in the log only when it was refused: who wants those chooses every event.
  const names = auditActions.filter((name) => !name.endsWith('.refused'));
  const types = [{ value: '*', label: t('everyEvent') }, ...names.map((value) => ({ value, label: actionInWords(value) }))];
  const chosen = draft.field('outcomes');
  return (
    <FormDialog title={t(webhook ? 'edit' : 'newWebhook')} draft={draft} submit={t(webhook ? 'save' : 'create')} close={close}>
      <TextInput
        {...draft.text('url')}
        type="url"
        label={t('webhookUrl')}
        description={t('webhookUrlHelp')}
        placeholder="https://example.com/hooks"
        data-autofocus
        autoComplete="off"
      />
      <MultiSelect
        {...draft.field('eventTypes')}
        label={t('events')}
        description={t('eventsHelp')}
        data={types}
        searchable
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      <MultiSelect
        label={t('outcomesLabel')}
        data={outcomes.map((value) => ({ value, label: t(`outcome_${value}`) }))}
        value={chosen.value}
        error={chosen.error}
        onChange={(values) =>
          draft.set(
            'outcomes',
            outcomes.filter((known) => values.includes(known)),
          )
        }
      />
      <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      <Switch
        label={t('switchedOn')}
        checked={draft.field('isActive').value}
        onChange={({ currentTarget }) => draft.set('isActive', currentTarget.checked)}
      />
    </FormDialog>
  );
}
