import { TextInput } from '@mantine/core';
import type { Output } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

type AddProps = { readonly close: () => void; readonly made: (domain: Output<'createDomain'>) => void };

/** Claims a domain. What comes next is its record. */
export function Add({ close, made }: AddProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const draft = useDraft({
    initial: { domain: '' },
    check: ({ domain }) => ({ domain: domain.trim() === '' ? t('enterADomain') : undefined }),
    send: async ({ domain }) => made(await tessera.createDomain({ scope, domain: domain.trim() })),
  });
  return (
    <FormDialog title={t('addDomain')} draft={draft} submit={t('addDomain')} close={close}>
      <TextInput
        {...draft.text('domain')}
        label={t('domain')}
        description={t('domainHelp')}
        placeholder="example.com"
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </FormDialog>
  );
}
