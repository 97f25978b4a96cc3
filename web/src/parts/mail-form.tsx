import { Button, Stack, TextInput } from '@mantine/core';
import { Problem } from '../look/page.tsx';
import { useWords } from '../words/language.tsx';
import { requireEmail, useForm } from './form.ts';
import { rememberAddress, typedAddress } from './typed.ts';

type MailFormProps = {
  readonly button: string;
  readonly send: (email: string) => Promise<unknown>;
  readonly sent: (email: string) => void;
};

/** Asks for an address and sends a mail to it. */
export function MailForm({ button, send, sent }: MailFormProps) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { email: typedAddress() },
    check: { email: requireEmail },
    serverFields: { email: 'email' },
    send: async ({ email }) => {
      rememberAddress(email);
      await send(email.trim());
      sent(email.trim());
    },
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('email')} label={t('email')} type="email" autoComplete="username" inputMode="email" />
        <Button type="submit" loading={isPending} fullWidth>
          {button}
        </Button>
      </Stack>
    </form>
  );
}
