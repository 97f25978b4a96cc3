import { Checkbox, TextInput } from '@mantine/core';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

type MakeProps = { readonly close: () => void; readonly made: (url: string) => void };

export function MakeLink({ close, made }: MakeProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const draft = useDraft({
    initial: { email: '', allowsDirectory: false },
    check: () => ({}),
    send: async ({ email, allowsDirectory }) => {
      const address = email.trim();
      const { url } = await tessera.createSetUpLink({ scope, allowsDirectory, ...(address === '' ? {} : { email: address }) });
      made(url);
    },
    done: close,
  });
  return (
    <FormDialog title={t('makeSetUpLink')} draft={draft} submit={t('makeSetUpLink')} close={close}>
      <TextInput
        {...draft.text('email')}
        label={t('setUpLinkEmail')}
        description={t('setUpLinkEmailHelp')}
        type="email"
        autoComplete="off"
        data-autofocus
      />
      <Checkbox
        label={t('setUpLinkDirectory')}
        description={t('setUpLinkDirectoryHelp')}
        checked={draft.values.allowsDirectory}
        onChange={({ currentTarget }) => draft.change({ allowsDirectory: currentTarget.checked })}
      />
    </FormDialog>
  );
}
