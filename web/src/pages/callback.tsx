import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Output, TesseraError } from '@tessera/client';
import { use, useEffect, useState } from 'react';
import { Card, Notice, Waiting } from '../look/page.tsx';
import { SecondFactorForm } from '../parts/second-factor.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch, useReturn } from './search.ts';

/** Where a sign-in at a provider ends: the one-time code becomes a session, and the way goes on. */
export function Callback() {
  const { t } = useWords();
  const { code } = use(LinkSecretContext);
  const { error, connected } = usePageSearch();
  const { go } = useReturn();
  const isDone = connected !== undefined;
  /** The code of the question, once the person has said that they go on. */
  const [confirmed, setConfirmed] = useState<string>();
  const exchange = useQuery({
    queryKey: ['code', confirmed ?? code],
    queryFn: () => tessera.exchangeCode(confirmed === undefined ? { code: code ?? '' } : { code: confirmed, isConfirmed: true }),
    enabled: code !== undefined && error === undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const due = exchange.data?.secondFactor;
  const question = exchange.data?.continueAs;
  const isSignedIn = exchange.data !== undefined && due === undefined && question === undefined;
  useEffect(() => {
    if (exchange.status !== 'pending') forgetLinkSecret();
    if (isSignedIn || isDone) go();
  }, [exchange.status, isSignedIn, isDone]);

  if (due !== undefined) return <SecondFactorForm due={due} done={go} />;
  if (question !== undefined) return <ContinueAs question={question} go={() => setConfirmed(question.code)} />;
  if (error !== undefined) return <ErrorPage reason={error} />;
  if (exchange.error) return <ErrorPage reason={reasonOf(exchange.error)} />;
  if (code === undefined && !isDone) return <ErrorPage reason="invalid_request" />;
  return (
    <Card title={t('callbackTitle')}>
      <Waiting />
    </Card>
  );
}

type Question = NonNullable<Output<'exchangeCode'>['continueAs']>;

/**
 * Asks the person before the sign-in ends: another site may have begun it with an account of its
 * own, whose owner would see what the person does next.
 */
function ContinueAs({ question: { name, email, connection }, go }: { readonly question: Question; readonly go: () => void }) {
  const { t } = useWords();
  const who = email === null ? name : `${name} (${email})`;
  return (
    <Card title={t('continueTitle')} text={t('continueText', { who, connection })}>
      <Notice>{t('continueCare')}</Notice>
      <Button onClick={go}>{t('continueAs', { who })}</Button>
      <Button component="a" href="/auth/sign-in" variant="default">
        {t('refuse')}
      </Button>
    </Card>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof TesseraError)) return 'server_error';
  return error.status === 400 ? 'invalid_state' : error.status === 0 || error.status >= 502 ? 'temporarily_unavailable' : 'server_error';
}
