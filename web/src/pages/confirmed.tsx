import { use, useEffect } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { sendConfirmation } from '../session/confirmation-window.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch } from './search.ts';

/** The window in which a person has confirmed at a provider: the console goes on in its own. */
export function Confirmed() {
  const { t } = useWords();
  const { confirmation } = use(LinkSecretContext);
  const { error } = usePageSearch();
  useEffect(() => {
    if (confirmation === undefined) return;
    sendConfirmation(confirmation);
    forgetLinkSecret();
    window.close();
  }, [confirmation]);
  if (error === 'access_denied')
    return (
      <Card title={t('errorTitle')}>
        <Problem>{t('confirmedNot')}</Problem>
      </Card>
    );
  if (error !== undefined) return <ErrorPage reason={error} />;
  return <Card title={t('confirmedTitle')} text={t('confirmedText')} />;
}
