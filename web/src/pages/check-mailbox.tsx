import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Card, Notice, Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { useReturn } from './search.ts';

/** After registering: the link is on its way, and can be sent again. */
export function CheckMailbox({ email }: { readonly email: string }) {
  const { t } = useWords();
  const { go } = useReturn();
  const [outcome, setOutcome] = useState<{ readonly problem?: string }>();
  const [isPending, setPending] = useState(false);
  const again = async () => {
    setPending(true);
    await tessera.resendVerification({ email }).then(
      () => setOutcome({}),
      (error: unknown) => setOutcome({ problem: messageOf(error) }),
    );
    setPending(false);
  };
  return (
    <Card title={t('checkMailTitle')} text={t('verifySent', { email })}>
      <Text c="dimmed" size="sm">
        {t('noMail')}
      </Text>
      {outcome === undefined ? null : outcome.problem === undefined ? (
        <Notice>{t('sentAgain')}</Notice>
      ) : (
        <Problem>{outcome.problem}</Problem>
      )}
      <Button variant="default" loading={isPending} onClick={() => void again()}>
        {t('sendAgain')}
      </Button>
      <Button variant="subtle" onClick={go}>
        {t('later')}
      </Button>
    </Card>
  );
}
