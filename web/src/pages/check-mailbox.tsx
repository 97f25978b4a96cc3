import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card, Notice, Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { interactionOf } from '../session/interaction-path.ts';
import { continueSignIn } from '../session/interactions.ts';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import type { AppOfLink } from './app-of-link.tsx';
import { useReturn } from './search.ts';

const lookAgainMs = 3_000;

type Props = { readonly email: string; readonly app: AppOfLink | undefined };

/**
 * After registering: the link is on its way, and can be sent again. Once it was followed, in another
 * tab or on another device, the page that the person looks at goes on.
 */
export function CheckMailbox({ email, app }: Props) {
  const { t } = useWords();
  const { go, search } = useReturn();
  const interaction = interactionOf(search.return_to);
  // A page in the background asks nothing.
  const me = useQuery({ queryKey: ['confirmation', email], queryFn: () => tessera.getMe(), refetchInterval: lookAgainMs, retry: false });
  const isConfirmed = me.data?.isVerified === true;
  useEffect(() => {
    if (!isConfirmed) return;
    if (interaction === undefined) go();
    else void continueSignIn(interaction, go);
  }, [isConfirmed]);
  const sendsMails = useQuery(optionsQuery).data?.sendsMails;
  const [outcome, setOutcome] = useState<{ readonly problem?: string }>();
  const [isPending, setPending] = useState(false);
  const again = async () => {
    setPending(true);
    await tessera.resendVerification({ email, ...app }).then(
      () => setOutcome({}),
      (error: unknown) => setOutcome({ problem: messageOf(error) }),
    );
    setPending(false);
  };
  return (
    <Card title={t('checkMailTitle')} text={t('verifySent', { email })}>
      {sendsMails === false ? (
        <Notice>{t('mailsStay')}</Notice>
      ) : (
        <Text c="dimmed" size="sm">
          {t('noMail')}
        </Text>
      )}
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
