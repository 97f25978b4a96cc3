import { Button, Text } from '@mantine/core';
import { use, useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { type Due, SecondFactorForm } from '../parts/second-factor.tsx';
import { pathOf } from '../session/interactions.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch, useReturn } from './search.ts';

/** The link of a mail with a code. Mail scanners open links too: only the button uses it up. */
export function EmailCodeLink() {
  const { t } = useWords();
  const { code } = use(LinkSecretContext);
  const { email, interaction } = usePageSearch();
  const { go: home } = useReturn();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [due, setDue] = useState<Due>();
  if (code === undefined || email === undefined) return <ErrorPage reason="invalid_state" />;
  const go = () => (interaction === undefined ? home() : window.location.replace(pathOf(interaction)));
  const signIn = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const { secondFactor } = await tessera.verifyEmailCode({ email, code });
      forgetLinkSecret();
      if (secondFactor === undefined) go();
      else setDue(secondFactor);
    } catch (error) {
      setProblem(messageOf(error));
      setPending(false);
    }
  };
  if (due !== undefined) return <SecondFactorForm due={due} done={go} />;
  return (
    <Card title={t('emailCodeTitle')} text={t('emailCodeLinkText', { email })}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Button loading={isPending} onClick={() => void signIn()}>
        {t('signIn')}
      </Button>
      <Text size="sm">{t('emailCodeElsewhere', { code })}</Text>
    </Card>
  );
}
