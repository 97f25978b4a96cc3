import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { messageOf } from './form.ts';

/** For a person who can give none of the factors: says what recovery means, and begins it. */
export function StartRecovery({ token, back }: { readonly token: string; readonly back: () => void }) {
  const { t, language } = useWords();
  const wait = useQuery(optionsQuery).data?.recoveryWaitHours;
  const [dueAt, setDueAt] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const begin = () => {
    setPending(true);
    setProblem(undefined);
    tessera
      .startRecovery({ token })
      .then((begun) => setDueAt(begun.dueAt))
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setPending(false));
  };
  if (dueAt !== undefined) {
    const date = new Date(dueAt).toLocaleString(language, { dateStyle: 'full', timeStyle: 'short' });
    return (
      <Card title={t('recoveryBegunTitle')} text={t('recoveryBegunText', { date })}>
        <Button component="a" href="/auth/sign-in" variant="default">
          {t('backToSignIn')}
        </Button>
      </Card>
    );
  }
  const time = wait === undefined ? '…' : spanOf(wait, language);
  return (
    <Card title={t('recoveryTitle')} text={t('recoveryText', { time })}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Button loading={isPending} onClick={begin}>
        {t('recoveryBegin')}
      </Button>
      <Button variant="default" onClick={back}>
        {t('back')}
      </Button>
    </Card>
  );
}

/** "3 days", or "30 hours" where it is no number of whole days. */
function spanOf(hours: number, language: string): string {
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
