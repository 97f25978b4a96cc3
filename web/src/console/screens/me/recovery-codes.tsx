import { Button, Group, Stack, Text } from '@mantine/core';
import { useCopy } from '../../../parts/copy.ts';
import { Icon } from '../../base/icon.tsx';
import { Modal } from '../../base/modal.tsx';
import { useTexts } from '../../base/words.ts';
import { download } from '../../parts/form/secret.tsx';

type CodesProps = { readonly codes: readonly string[]; readonly close: () => void };

/** Shows the codes this once: a key or a click beside the dialog does not close it. */
export function RecoveryCodes({ codes, close }: CodesProps) {
  const { t } = useTexts();
  const text = `${codes.join('\n')}\n`;
  const [isCopied, copy] = useCopy(text);
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
        <Group grow>
          <Button variant="default" leftSection={<Icon name={isCopied ? 'check' : 'copy'} />} onClick={copy}>
            {t('copyAll')}
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="download" />}
            onClick={() => download('tessera-recovery-codes.txt', text, 'text/plain')}
          >
            {t('download')}
          </Button>
        </Group>
        <span role="status" className="unseen">
          {isCopied ? t('copied') : ''}
        </span>
        <Button onClick={close}>{t('codesKept')}</Button>
      </Stack>
    </Modal>
  );
}
