import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Card, Problem } from '../look/page.tsx';
import { connectionUrl } from '../parts/address-first.tsx';
import { PageLink } from '../parts/link.tsx';
import { callbackPath } from '../parts/providers.tsx';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { hasText } from '../words/spoken.ts';
import type { TextKey } from '../words/texts.ts';
import { isConnectionId } from './connection-id.ts';
import { usePageSearch, useReturn } from './search.ts';

/** What went wrong, in words, and what to do next. The address names a reason, never a text. */
export function ErrorPage({ reason }: { readonly reason?: string }) {
  const { t } = useWords();
  const { error, provider, connection } = usePageSearch();
  const { search } = useReturn();
  const known = reason ?? error ?? 'server_error';
  const { data } = useQuery(optionsQuery);
  const provided =
    known === 'account_not_found' ? data?.providers.filter(({ name }) => provider === undefined || name === provider) : undefined;
  const isUnreached = known === 'temporarily_unavailable' && isConnectionId(connection);
  return (
    <Card title={t('errorTitle')}>
      <Problem>{t(isUnreached ? 'error_connection_unavailable' : textOf(known))}</Problem>
      {isUnreached ? (
        <>
          <Button component="a" href={connectionUrl(connection, search.return_to)}>
            {t('tryAgain')}
          </Button>
          <PageLink to="/auth/sign-in" search={{ ...search, way: 'other' }}>
            {t('otherWays')}
          </PageLink>
        </>
      ) : null}
      {provided?.map(({ name, label }) => (
        <Button
          key={name}
          component="a"
          href={tessera.signInUrl({ provider: name, action: 'register', redirect: callbackPath(search.return_to) })}
        >
          {t('createWith', { provider: label })}
        </Button>
      ))}
      {known === 'link_needed' && isConnectionId(connection) ? (
        <PageLink to="/auth/sign-in" search={{ return_to: `/auth/connect?connection=${connection}` }}>
          {t('signInAndConnect')}
        </PageLink>
      ) : null}
      <PageLink to="/auth/sign-in" search={search}>
        {t('backToSignIn')}
      </PageLink>
    </Card>
  );
}

function textOf(reason: string): TextKey {
  const key = `error_${reason}`;
  return hasText(key) ? (key as TextKey) : 'error_server_error';
}
