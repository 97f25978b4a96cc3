import { use, useEffect } from 'react';
import { Card } from '../look/page.tsx';
import { sendConfirmation } from '../session/confirmation-window.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch } from './search.ts';

/** The window in which a person has confirmed at a provider: the console goes on in its own. */
export function Confirmed() {
  const { t } = useWords();
  const { code } = use(LinkSecretContext);
  const { error } = usePageSearch();
  useEffect(() => {
    if (code === undefined) return;
    sendConfirmation(code);
    forgetLinkSecret();
    window.close();
  }, [code]);
  if (error !== undefined) return <ErrorPage reason={error} />;
  return <Card title={t('confirmedTitle')} text={t('confirmedText')} />;
}
