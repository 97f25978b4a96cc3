import { Button } from '@mantine/core';
import { use, useState } from 'react';
import { Card, Notice } from '../look/page.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { loopbackAddress } from '../session/loopback.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch } from './search.ts';

/**
 * Before a one-time code goes to a port of this computer: any program may listen there, and a link
 * may have begun the sign-in. Only a click sends it.
 */
export function Program() {
  const { t } = useWords();
  const { code, confirmation } = use(LinkSecretContext);
  const [isLeaving, setLeaving] = useState(false);
  const address = loopbackAddress(usePageSearch().redirect);
  const outcome = confirmation === undefined ? { code } : { confirmation };
  const [secret] = Object.values(outcome);
  if (address === undefined || secret === undefined) return <ErrorPage reason="invalid_request" />;
  const leave = (result: Readonly<Record<string, string | undefined>>) => {
    setLeaving(true);
    forgetLinkSecret();
    for (const [name, value] of Object.entries(result)) address.searchParams.set(name, value ?? '');
    window.location.replace(address);
  };
  return (
    <Card title={t('programTitle')} text={t('programText', { port: address.port || '80', address: address.host })}>
      <Notice>{t('programCare')}</Notice>
      <Button disabled={isLeaving} onClick={() => leave(outcome)}>
        {t('programSignIn')}
      </Button>
      <Button variant="default" disabled={isLeaving} onClick={() => leave({ error: 'access_denied' })}>
        {t('refuse')}
      </Button>
    </Card>
  );
}
