import { useState } from 'react';
import { Card, Waiting } from '../look/page.tsx';
import { PageLink } from '../parts/link.tsx';
import { MailForm } from '../parts/mail-form.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { OnwardToApp, useAppOfLink, useAppOfReturn } from './app-of-link.tsx';
import { useReturn } from './search.ts';

export function ForgotPassword() {
  const { t } = useWords();
  const { search } = useReturn();
  const [sentTo, setSentTo] = useState<string>();
  const ofLink = useAppOfLink();
  const { app = ofLink, isPending } = useAppOfReturn();
  const back = ofLink ? (
    <OnwardToApp app={ofLink} />
  ) : (
    <PageLink to="/auth/sign-in" search={search}>
      {t('backToSignIn')}
    </PageLink>
  );
  if (isPending) return <Waiting />;
  if (sentTo !== undefined)
    return (
      <Card title={t('checkMailTitle')} text={t('resetSent', { email: sentTo })}>
        {back}
      </Card>
    );
  return (
    <Card title={t('forgotTitle')} text={t('forgotText')}>
      <MailForm button={t('sendLink')} send={(email) => tessera.requestPasswordReset({ email, ...app })} sent={setSentTo} />
      {back}
    </Card>
  );
}
