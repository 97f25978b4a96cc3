import { Button } from '@mantine/core';
import { useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { messageOf } from './form.ts';

/** For a person who can give none of the factors: says what recovery means, and begins it. */
export function StartRecovery({ token, back }: { readonly token: string; readonly back: () => void }) {
  const { t, language } = useWords();
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
  return (
    <Card title={t('recoveryTitle')} text={t('recoveryText')}>
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
