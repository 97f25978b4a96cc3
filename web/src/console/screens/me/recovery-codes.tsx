import { Button, Stack, Text } from '@mantine/core';
import { Icon } from '../../base/icon.tsx';
import { Modal } from '../../base/modal.tsx';
import { useTexts } from '../../base/words.ts';
import { download } from '../../parts/form/secret.tsx';

type CodesProps = { readonly codes: readonly string[]; readonly close: () => void };

/** Shows the codes this once: a key or a click beside the dialog does not close it. */
export function RecoveryCodes({ codes, close }: CodesProps) {
  const { t } = useTexts();
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t('recoveryCodes')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Text>{t('codesText')}</Text>
        <ul className="list" aria-label={t('recoveryCodes')}>
          {codes.map((code) => (
            <li key={code}>
              <Text ff="monospace">{code}</Text>
            </li>
          ))}
        </ul>
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          onClick={() => download('tessera-recovery-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}
        >
          {t('download')}
        </Button>
        <Button onClick={close}>{t('codesKept')}</Button>
      </Stack>
    </Modal>
  );
}
