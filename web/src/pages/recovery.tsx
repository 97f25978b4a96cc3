import { Button } from '@mantine/core';
import { TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { meQuery, queries, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

/** Where the last mail of a recovery leads. Only the button removes the factors. */
export function Recovery() {
  const { t } = useWords();
  const { token, spent } = use(LinkSecretContext);
  const [outcome, setOutcome] = useState<'done' | 'dead'>();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const signIn = (
    <Button component="a" href="/auth/sign-in">
      {t('signIn')}
    </Button>
  );
  if (outcome === 'done')
    return (
      <Card title={t('recoveryDoneTitle')} text={t('recoveryDoneText')}>
        {signIn}
      </Card>
    );
  if (outcome === 'dead' || (token === undefined && spent !== undefined))
    return (
      <Card title={t('linkDeadTitle')} text={t('recoveryDeadText')}>
        {signIn}
      </Card>
    );
  if (token === undefined)
    return (
      <Card title={t('recoveryTitle')} text={t('recoveryHowText')}>
        {signIn}
      </Card>
    );
  const finish = async () => {
    try {
      await tessera.finishRecovery({ token });
      forgetLinkSecret();
      // If the session here was the account's, it has ended.
      await tessera.session.refresh().catch(() => undefined);
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      setOutcome('done');
    } catch (error) {
      if (error instanceof TesseraError && error.status === 400) setOutcome('dead');
      else setProblem(messageOf(error));
    }
  };
  const press = () => {
    setPending(true);
    setProblem(undefined);
    void finish().finally(() => setPending(false));
  };
  return (
    <Card title={t('recoveryFinishTitle')} text={t('recoveryFinishText')}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Button loading={isPending} onClick={press}>
        {t('recoveryFinish')}
      </Button>
    </Card>
  );
}
