import { TextInput } from '@mantine/core';
import type { Output } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

type Factor = Output<'getMySecondFactors'>['items'][number];
type RenameProps = { readonly factor: Factor; readonly done: () => Promise<unknown>; readonly close: () => void };

function nameOf({ name }: Factor) {
  return { name };
}

export function RenameFactor({ factor, done, close }: RenameProps) {
  const { t } = useTexts();
  const draft = useDraft({
    initial: nameOf(factor),
    edits: {
      thing: factor,
      show: nameOf,
      read: async () => (await tessera.getMySecondFactors()).items.find(({ id }) => id === factor.id),
    },
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name }, call) => {
      await tessera.updateSecondFactor({ id: factor.id, name: name.trim() }, call);
      await done();
    },
    done: close,
  });
  return (
    <FormDialog title={t('renameNamed', { name: factor.name })} draft={draft} submit={t('save')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
    </FormDialog>
  );
}
