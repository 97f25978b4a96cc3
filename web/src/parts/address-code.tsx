import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../look/page.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { messageOf, requireCode, useForm } from './form.ts';

/** The account does not hold its address yet: a code by mail, typed in its session, settles that. */
export function AddressCode({ held }: { readonly held: () => void }) {
  const { t } = useWords();
  const [isSent, setSent] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { form, field, problem, isPending } = useForm({
    initial: { code: '' },
    check: { code: requireCode },
    serverFields: { code: 'code' },
    send: async ({ code }) => {
      await tessera.confirmAddress({ code: code.trim() });
      held();
    },
  });
  const request = async () => {
    setRefusal(undefined);
    try {
      await tessera.requestAddressCode();
      setSent(true);
    } catch (error) {
      setRefusal(messageOf(error));
    }
  };
  const wrong = refusal ?? problem;
  return (
    <Stack gap="md">
      <Text role="status">{t(isSent ? 'addressCodeSent' : 'addressCodeText')}</Text>
      {wrong === undefined ? null : <Problem>{wrong}</Problem>}
      {isSent ? (
        <form {...form}>
          <Stack gap="md">
            <TextInput {...field('code')} label={t('addressCodeLabel')} autoComplete="one-time-code" inputMode="numeric" autoFocus />
            <Button type="submit" loading={isPending} fullWidth>
              {t('continue')}
            </Button>
          </Stack>
        </form>
      ) : null}
      <Button variant={isSent ? 'default' : 'filled'} onClick={() => void request()}>
        {t('addressCodeSend')}
      </Button>
    </Stack>
  );
}
