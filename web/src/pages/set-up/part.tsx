import { Button, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCopy } from '../../parts/copy.ts';
import { useWords } from '../../words/language.tsx';

type PartProps = { readonly number: number; readonly title: string; readonly children: ReactNode };

export function Part({ number, title, children }: PartProps) {
  return (
    <section>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {number}. {title}
        </Title>
        {children}
      </Stack>
    </section>
  );
}

/** A value that is entered somewhere else. */
export function ToCopy({ name, value }: { readonly name: string; readonly value: string }) {
  const { t } = useWords();
  const [isCopied, copy] = useCopy(value);
  return (
    <div className="to-copy">
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <code>{value}</code>
      <Button variant="default" size="compact-sm" onClick={copy} aria-label={t('setUpCopy', { name })}>
        {t(isCopied ? 'setUpCopied' : 'setUpCopyIt')}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('setUpCopied') : ''}</VisuallyHidden>
    </div>
  );
}
