import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type PanelProps = { readonly title: ReactNode; readonly text?: string; readonly children: ReactNode };

/** A part of a screen below its own heading. */
export function Panel({ title, text, children }: PanelProps) {
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {title}
      </Title>
      {text === undefined ? null : (
        <Text c="dimmed" size="sm">
          {text}
        </Text>
      )}
      {children}
    </section>
  );
}
