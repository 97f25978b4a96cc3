import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../../look/page.tsx';
import { useCopy } from '../../../parts/copy.ts';
import { Icon } from '../../base/icon.tsx';
import { Modal } from '../../base/modal.tsx';
import { useTexts } from '../../base/words.ts';

type SecretProps = {
  readonly title: string;
  /** What to keep, by its name: `clientId`, `clientSecret`. */
  readonly values: Readonly<Record<string, string>>;
  /** What people call a value, where its name is for programs. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The same as lines, to be pasted. */
  readonly block?: { readonly label: string; readonly text: string };
  /** The name of the downloaded file. */
  readonly file: string;
  readonly close: () => void;
};

/** Shows a secret this once. It closes when the person says that it is kept. */
export function Secret({ title, values, labels = {}, block, file, close }: SecretProps) {
  const { t } = useTexts();
  const [isKept, setKept] = useState(false);
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Notice>{t('secretOnce')}</Notice>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <Text size="sm" fw={500}>
              {labels[name] ?? name}
            </Text>
            <Copyable value={value} />
          </div>
        ))}
        {block === undefined ? null : (
          <div>
            <Text size="sm" fw={500}>
              {block.label}
            </Text>
            <Copyable value={block.text} isBlock />
          </div>
        )}
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          onClick={() => download(file, `${JSON.stringify(values, null, 2)}\n`)}
        >
          {t('download')}
        </Button>
        <Checkbox label={t('secretKept')} checked={isKept} onChange={({ currentTarget }) => setKept(currentTarget.checked)} />
        <div className="dialog-end">
          <Button disabled={!isKept} onClick={close}>
            {t('done')}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}

/** A value to copy; a block keeps its lines. */
export function Copyable({ value, isBlock = false }: { readonly value: string; readonly isBlock?: boolean }) {
  const { t } = useTexts();
  const [isCopied, copy] = useCopy(value);
  return (
    <span className="copyable" data-block={isBlock || undefined}>
      {isBlock ? (
        // A focus lets the keyboard scroll what is wider than the page.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre tabIndex={0}>{value}</pre>
      ) : (
        <code>{value}</code>
      )}
      <button type="button" className="plain" onClick={copy} aria-label={t('copyValue', { value: value.slice(0, 12) })}>
        <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      </button>
      <span role="status" className="unseen">
        {isCopied ? t('copied') : ''}
      </span>
    </span>
  );
}

export function download(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
