import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Notice, Problem, Waiting } from '../look/page.tsx';
import { useForm } from '../parts/form.ts';
import { PageLink } from '../parts/link.tsx';
import { PasswordField, requireGoodPassword } from '../parts/password.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { meQuery, nameOf, queries, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { OnwardToApp, useAppOfLink } from './app-of-link.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

export function ResetPassword() {
  const { t } = useWords();
  const { token, spent } = use(LinkSecretContext);
  const me = useQuery(meQuery);
  const [outcome, setOutcome] = useState<'done' | 'dead'>();
  const app = useAppOfLink();

  if (outcome === 'done' && app !== undefined)
    return (
      <Card title={t('resetDoneTitle')} text={t('resetDoneText')}>
        <OnwardToApp app={app} />
      </Card>
    );
  if (outcome === 'done')
    return (
      <Card title={t('resetDoneTitle')} text={t('resetDoneText')}>
        <Button component="a" href="/auth/sign-in">
          {t('signIn')}
        </Button>
      </Card>
    );
  if (token === undefined || outcome === 'dead') return <DeadLink isCut={token === undefined && spent === undefined} />;
  if (me.isPending) return <Waiting />;
  return (
    <Card title={t('resetTitle')} text={t('resetText')}>
      {me.data ? <Notice>{t('resetElsewhere', { who: nameOf(me.data) })}</Notice> : null}
      <ResetForm token={token} ended={setOutcome} />
    </Card>
  );
}

type ResetFormProps = { readonly token: string; readonly ended: (outcome: 'done' | 'dead') => void };

function ResetForm({ token, ended }: ResetFormProps) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { password: '' },
    check: { password: requireGoodPassword },
    serverFields: { newPassword: 'password' },
    send: async ({ password: newPassword }) => {
      try {
        await tessera.resetPassword({ token, newPassword });
      } catch (error) {
        // A refused password names its field; a refused link does not.
        if (!(error instanceof TesseraError && error.status === 400 && error.field === undefined)) throw error;
        ended('dead');
        return;
      }
      forgetLinkSecret();
      // If the session here was the account's, it has ended.
      await tessera.session.refresh().catch(() => undefined);
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      ended('done');
    },
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <PasswordField {...field('password')} label={t('newPassword')} isNew />
        <Button type="submit" loading={isPending} fullWidth>
          {t('resetButton')}
        </Button>
      </Stack>
    </form>
  );
}

function DeadLink({ isCut }: { readonly isCut: boolean }) {
  const { t } = useWords();
  const app = useAppOfLink();
  const [title, text] = isCut ? (['linkCutTitle', 'linkCutText'] as const) : (['linkDeadTitle', 'linkDeadText'] as const);
  return (
    <Card title={t(title)} text={t(text)}>
      <Button component="a" href={`/auth/forgot-password${window.location.search}`}>
        {t('forgotTitle')}
      </Button>
      {app === undefined ? <PageLink to="/auth/sign-in">{t('backToSignIn')}</PageLink> : <OnwardToApp app={app} />}
    </Card>
  );
}
