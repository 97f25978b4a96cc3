import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { CodeField } from './code-field.tsx';
import { messageOf, requireCode, useForm } from './form.ts';
import type { Due } from './second-factor.tsx';

/** The sign-in to an app that the code is for. */
export type CodeFor = { readonly appId?: string | undefined; readonly interactionId?: string | undefined };

export function requestCode(email: string, { appId, interactionId }: CodeFor): Promise<unknown> {
  const of = { ...(appId === undefined ? {} : { appId }), ...(interactionId === undefined ? {} : { interactionId }) };
  return tessera.requestEmailCode({ email, ...of });
}

type Props = {
  readonly title: string;
  readonly email: string;
  readonly codeFor: CodeFor;
  readonly done: (due: Due | undefined) => void;
  readonly back: () => void;
};

/** Where the code from the mail is typed. */
export function EmailCodeForm({ title, email, codeFor, done, back }: Props) {
  const { t } = useWords();
  const [isSentAgain, setSentAgain] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { form, field, problem, isPending } = useForm({
    initial: { code: '' },
    check: { code: requireCode },
    serverFields: { code: 'code' },
    send: async ({ code }) => done((await tessera.verifyEmailCode({ email, code: code.trim() })).secondFactor),
  });
  const again = async () => {
    setRefusal(undefined);
    try {
      await requestCode(email, codeFor);
      setSentAgain(true);
    } catch (error) {
      setRefusal(messageOf(error));
    }
  };
  const wrong = refusal ?? problem;
  return (
    <Card title={title} text={t('emailCodeText', { email })}>
      {wrong === undefined ? null : <Problem>{wrong}</Problem>}
      <form {...form}>
        <Stack gap="md">
          <CodeField {...field('code')} label={t('code')} autoFocus />
          <Button type="submit" loading={isPending} fullWidth>
            {t('signIn')}
          </Button>
        </Stack>
      </form>
      {isSentAgain ? (
        <Text size="sm" role="status">
          {t('emailCodeSentAgain')}
        </Text>
      ) : null}
      <Button variant="default" onClick={() => void again()}>
        {t('emailCodeAgain')}
      </Button>
      <Button variant="subtle" onClick={back}>
        {t('emailCodePassword')}
      </Button>
    </Card>
  );
}
