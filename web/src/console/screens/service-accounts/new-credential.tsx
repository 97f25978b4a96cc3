import { Select } from '@mantine/core';
import type { Output } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import type { ServiceAccount } from './account.ts';

export type NewCredential = Output<'createServiceAccountCredential'>;

/** What can be made here; with more than one the form asks which. */
const types = ['secret'] as const;
type CredentialType = (typeof types)[number];

const dayMs = 86_400_000;

type FormProps = { readonly account: ServiceAccount; readonly close: () => void; readonly made: (credential: NewCredential) => void };

/** Makes a credential of a service account. */
export function NewCredentialForm({ account: { id }, close, made }: FormProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const draft = useDraft<{ readonly type: CredentialType; readonly days: string }>({
    initial: { type: 'secret', days: '90' },
    serverFields: { expiresAt: 'days' },
    send: async ({ type, days }) => {
      const ends = days === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() };
      made(await tessera.createServiceAccountCredential({ scope, id, type, ...ends }));
    },
    done: close,
  });
  const choices = ['7', '30', '90', '365'].map((days) => ({ value: days, label: t('inDays', { days }) }));
  return (
    <FormDialog title={t('newCredential')} draft={draft} submit={t('makeSecret')} close={close}>
      {types.length === 1 ? null : (
        <Select
          {...draft.field('type')}
          onChange={(type) => draft.set('type', types.find((known) => known === type) ?? 'secret')}
          label={t('kind')}
          data={types.map((value) => ({ value, label: t(`credential_${value}`) }))}
          allowDeselect={false}
        />
      )}
      <Select
        {...draft.field('days')}
        onChange={(days) => draft.set('days', days ?? '90')}
        label={t('expires')}
        description={t('credentialExpiryHelp')}
        data={[...choices, { value: 'never', label: t('never') }]}
        allowDeselect={false}
        data-autofocus
      />
    </FormDialog>
  );
}
