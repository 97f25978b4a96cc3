import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode, RefObject, SubmitEventHandler } from 'react';
import { Problem } from '../../../look/page.tsx';
import { Restored } from './restored.tsx';

export type FormOfDraft = {
  readonly problem: string | undefined;
  /** When the form shows what was typed before it was left. */
  readonly restored?: ComponentProps<typeof Restored> | undefined;
  readonly form: {
    readonly ref: RefObject<HTMLFormElement | null>;
    readonly onSubmit: SubmitEventHandler<HTMLFormElement>;
    readonly noValidate: boolean;
  };
};

type DraftFormProps = { readonly draft: FormOfDraft; readonly label?: string; readonly children: ReactNode };

/** Fields below what went wrong and what was restored. */
export function DraftForm({ draft: { form, problem, restored }, label, children }: DraftFormProps) {
  return (
    <form {...form} aria-label={label}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        {restored === undefined ? null : <Restored {...restored} />}
        {children}
      </Stack>
    </form>
  );
}
