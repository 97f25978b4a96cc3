import { useState } from 'react';
import { Card } from '../look/page.tsx';
import { PageLink } from '../parts/link.tsx';
import { MailForm } from '../parts/mail-form.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { useReturn } from './search.ts';

export function ForgotPassword() {
  const { t } = useWords();
  const { search } = useReturn();
  const [sentTo, setSentTo] = useState<string>();
  const back = (
    <PageLink to="/auth/sign-in" search={search}>
      {t('backToSignIn')}
    </PageLink>
  );
  if (sentTo !== undefined)
    return (
      <Card title={t('checkMailTitle')} text={t('resetSent', { email: sentTo })}>
        {back}
      </Card>
    );
  return (
    <Card title={t('forgotTitle')} text={t('forgotText')}>
      <MailForm button={t('sendLink')} send={(email) => tessera.requestPasswordReset({ email })} sent={setSentTo} />
      {back}
    </Card>
  );
}
