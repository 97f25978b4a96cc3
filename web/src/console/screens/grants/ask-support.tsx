import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useProduct } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

const times = [15, 30, 60, 120, 240] as const;

type AskProps = {
  readonly organizationId: string;
  readonly userId: string;
  readonly name: string;
  readonly close: () => void;
  readonly made: () => void;
};

/** Asks a customer to let the caller act as one of its people. */
export function AskSupport({ organizationId, userId, name, close, made }: AskProps) {
  const { t } = useTexts();
  const scope = useProduct();
  const [minutes, setMinutes] = useState('60');
  const draft = useDraft({
    initial: { reason: '' },
    check: ({ reason }) => ({ reason: reason.trim() === '' ? t('enterReason') : undefined }),
    send: async ({ reason }) => {
      await tessera.createSupportAccess({ scope, organizationId, userId, reason: reason.trim(), minutes: Number(minutes) });
      made();
    },
  });
  return (
    <FormDialog title={t('askSupportNamed', { name })} draft={draft} submit={t('askSupport')} close={close}>
      <TextInput
        {...draft.text('reason')}
        label={t('supportReason')}
        description={t('supportReasonHelp')}
        data-autofocus
        autoComplete="off"
      />
      <NativeSelect
        label={t('supportLasts')}
        data={times.map((count) => ({ value: String(count), label: t('forMinutes', { minutes: String(count) }) }))}
        value={minutes}
        onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
      />
    </FormDialog>
  );
}
