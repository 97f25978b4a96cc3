import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../look/page.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { CodeField } from './code-field.tsx';
import { messageOf, requireCode, useForm } from './form.ts';

type Holding = { readonly held: () => void };

/** A code by mail, typed in the session of the account, by which the account holds its address. */
export function useAddressCode({ held }: Holding) {
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
  return { isSent, refusal, request, form, field, problem, isPending };
}

/** The account does not hold its address yet. */
export function AddressCode({ held }: Holding) {
  const { t } = useWords();
  const { isSent, refusal, request, form, field, problem, isPending } = useAddressCode({ held });
  const wrong = refusal ?? problem;
  return (
    <Stack gap="md">
      <Text role="status">{t(isSent ? 'addressCodeSent' : 'addressCodeText')}</Text>
      {wrong === undefined ? null : <Problem>{wrong}</Problem>}
      {isSent ? (
        <form {...form}>
          <Stack gap="md">
            <CodeField {...field('code')} label={t('addressCodeLabel')} autoFocus />
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
