import { Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem, Waiting } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';

type TileProps = { readonly title: string; readonly isPending?: boolean; readonly error?: unknown; readonly children?: ReactNode };

/** A part of the overview, which waits and fails by itself. */
export function Tile({ title, isPending = false, error, children }: TileProps) {
  return (
    <Paper component="section" withBorder radius="lg" p="lg">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {isPending ? <Waiting /> : error ? <Problem>{messageOf(error)}</Problem> : children}
      </Stack>
    </Paper>
  );
}
