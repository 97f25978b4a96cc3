import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { use, useEffect } from 'react';
import { Card, Waiting } from '../look/page.tsx';
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
  const exchange = useQuery({
    queryKey: ['code', code],
    queryFn: () => tessera.exchangeCode({ code: code ?? '' }),
    enabled: code !== undefined && error === undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const due = exchange.data?.secondFactor;
  const isSignedIn = exchange.data !== undefined && due === undefined;
  useEffect(() => {
    if (exchange.status !== 'pending') forgetLinkSecret();
    if (isSignedIn || isDone) go();
  }, [exchange.status, isDone]);

  if (due !== undefined) return <SecondFactorForm due={due} done={go} />;
  if (error !== undefined) return <ErrorPage reason={error} />;
  if (exchange.error) return <ErrorPage reason={reasonOf(exchange.error)} />;
  if (code === undefined && !isDone) return <ErrorPage reason="invalid_request" />;
  return (
    <Card title={t('callbackTitle')}>
      <Waiting />
    </Card>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof TesseraError)) return 'server_error';
  return error.status === 400 ? 'invalid_state' : error.status === 0 || error.status >= 502 ? 'temporarily_unavailable' : 'server_error';
}
