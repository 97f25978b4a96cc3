import { Button } from '@mantine/core';
import { Card } from '../look/page.tsx';
import { callbackPath } from '../parts/providers.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { isConnectionId } from './connection-id.ts';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** Who has just signed in by a way of their own connects the account with their organization. */
export function Connect() {
  const { t } = useWords();
  const { connection } = usePageSearch();
  if (!isConnectionId(connection)) return <ErrorPage reason="invalid_request" />;
  const address = tessera.signInUrl({ provider: `connections/${connection}`, action: 'connect', redirect: callbackPath(undefined) });
  return (
    <Card title={t('connectTitle')} text={t('connectText')}>
      <Button component="a" href={address}>
        {t('connectNow')}
      </Button>
    </Card>
  );
}
