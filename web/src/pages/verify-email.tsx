import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Notice, Problem, Waiting, Words } from '../look/page.tsx';
import { messageOf, messageOfAnswer, requirePassword, useForm } from '../parts/form.ts';
import { PageLink } from '../parts/link.tsx';
import { MailForm } from '../parts/mail-form.tsx';
import { PasswordField } from '../parts/password.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { home } from '../session/return-to.ts';
import { type Me, meQuery, nameOf, queries, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { OnwardToApp, useAppOfLink } from './app-of-link.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

type Outcome = 'verified' | 'not-held' | 'dead' | 'rejected';

export function VerifyEmail() {
  const { t } = useWords();
  const { token, spent } = use(LinkSecretContext);
  const me = useQuery(meQuery);
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRejecting, setRejecting] = useState(false);

  if (me.isPending) return <Waiting />;
  if (outcome === 'verified') return <Verified me={me.data ?? null} />;
  if (outcome === 'not-held') return <NotHeld />;
  if (outcome === 'rejected') return <Rejected />;
  if (token === undefined || outcome === 'dead')
    return <DeadLink me={me.data ?? null} isCut={token === undefined && spent === undefined} />;
  const props = { token, settle: setOutcome };
  if (isRejecting) return <Reject {...props} leave={() => setRejecting(false)} />;
  return (
    <Card title={t('verifyTitle')} text={me.data ? t('verifyText') : undefined}>
      {me.data ? <InSession {...props} me={me.data} /> : <ByPassword {...props} />}
      <Button variant="default" onClick={() => setRejecting(true)}>
        {t('rejectButton')}
      </Button>
    </Card>
  );
}

type SettleProps = { readonly token: string; readonly settle: (outcome: Outcome) => void };

/** Where the account of an address is sent the code that shows that they belong together. */
const securitySettings = '/console/me/sign-in';

const isDead = (error: unknown): boolean => error instanceof TesseraError && error.status === 400;

/** The browser is signed in: if it is the account of the address, the two belong together now. */
function InSession({ token, settle, me }: SettleProps & { readonly me: Me }) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const verify = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const { isHeld } = await tessera.verifyEmail({ token });
      forgetLinkSecret();
      // The token in memory still says that the address is not verified.
      await tessera.session.refresh();
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      settle(isHeld ? 'verified' : 'not-held');
    } catch (error) {
      if (isDead(error)) settle('dead');
      else setProblem(error);
    } finally {
      setPending(false);
    }
  };
  const isForOwner = problem instanceof TesseraError && (problem.status === 401 || problem.status === 403);
  return (
    <>
      {me.isVerified && problem === undefined ? <Notice>{t('verifyElsewhere', { who: nameOf(me) })}</Notice> : null}
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {isForOwner ? (
        <SignInAsOwner isSignedIn />
      ) : (
        <Button loading={isPending} onClick={() => void verify()}>
          {t('verifyButton')}
        </Button>
      )}
    </>
  );
}

/** The link was opened without a session: on another device, or by a stranger to the account. */
function ByPassword({ token, settle }: SettleProps) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { password: '' },
    check: { password: requirePassword },
    serverFields: { password: 'password' },
    send: async ({ password }) => {
      try {
        await tessera.verifyEmail({ token, password });
      } catch (error) {
        if (!isDead(error)) throw error;
        settle('dead');
        return;
      }
      forgetLinkSecret();
      settle('verified');
    },
    say: messageOfAnswer('password'),
  });
  return (
    <>
      <form {...form}>
        <Stack gap="md">
          <Text>{t('verifyByPassword')}</Text>
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <PasswordField {...field('password')} label={t('password')} />
          <Button type="submit" loading={isPending} fullWidth>
            {t('verifyButton')}
          </Button>
        </Stack>
      </form>
      <SignInAsOwner isSignedIn={false} />
    </>
  );
}

function Reject({ token, settle, leave }: SettleProps & { readonly leave: () => void }) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const reject = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      await tessera.rejectRegistration({ token });
      forgetLinkSecret();
      settle('rejected');
    } catch (error) {
      if (isDead(error)) settle('dead');
      else setProblem(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Card title={t('rejectTitle')} text={t('rejectText')}>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      <Button color="red.9" loading={isPending} onClick={() => void reject()}>
        {t('rejectConfirm')}
      </Button>
      <Button variant="default" disabled={isPending} onClick={leave}>
        {t('rejectCancel')}
      </Button>
    </Card>
  );
}

function Rejected() {
  const { t } = useWords();
  const isForApp = useAppOfLink() !== undefined;
  return (
    <Card title={t('rejectedTitle')} text={t('rejectedText')}>
      {isForApp ? null : <PageLink to="/auth/register">{t('register')}</PageLink>}
    </Card>
  );
}

function NotHeld() {
  const { t } = useWords();
  const app = useAppOfLink();
  return (
    <Card title={t('verifiedTitle')} text={t('verifiedNotHeld')}>
      {app === undefined ? <SignInAsOwner isSignedIn to={securitySettings} /> : <OnwardToApp app={app} />}
    </Card>
  );
}

function Verified({ me }: { readonly me: Me | null }) {
  const { t } = useWords();
  const app = useAppOfLink();
  if (app !== undefined)
    return (
      <Card title={t('verifiedTitle')} text={t('verifiedForApp')}>
        <OnwardToApp app={app} isProven={me !== null} />
      </Card>
    );
  return (
    <Card title={t('verifiedTitle')} text={me === null ? t('verifiedText') : t('verifiedGo')}>
      {me === null ? <SignInButton /> : <Onward me={me} />}
    </Card>
  );
}

function SignInButton() {
  const { t } = useWords();
  return (
    <Button component="a" href="/auth/sign-in">
      {t('signIn')}
    </Button>
  );
}

function Onward({ me }: { readonly me: Me }) {
  const { t } = useWords();
  return (
    <Button component="a" href={home}>
      <Words text={t('continueAs', { who: nameOf(me) })} />
    </Button>
  );
}

/** A link that was used, has expired or was cut off, and what to do about it. */
function DeadLink({ me, isCut }: { readonly me: Me | null; readonly isCut: boolean }) {
  const { t } = useWords();
  const [sentTo, setSentTo] = useState<string>();
  const methods = useQuery({
    queryKey: ['methods'],
    queryFn: () => tessera.listMyAuthenticationMethods(),
    enabled: me?.isVerified === true,
  });
  const app = useAppOfLink();
  const [title, text] = isCut ? (['linkCutTitle', 'linkCutText'] as const) : (['linkDeadTitle', 'linkDeadText'] as const);
  const onward = app === undefined ? null : <OnwardToApp app={app} />;
  if (sentTo !== undefined) return <Card title={t('checkMailTitle')} text={t('newLinkSent', { email: sentTo })} />;
  if (me?.isVerified && methods.isPending) return <Waiting />;
  // An address that was added to the account may still wait, also when the first one is confirmed.
  if (me?.isVerified && methods.data?.items.every(({ isVerified }) => isVerified))
    return (
      <Card title={t(title)} text={t('verifiedAlready', { who: nameOf(me) })}>
        {onward ?? <Onward me={me} />}
      </Card>
    );
  return (
    <Card title={t(title)} text={t(text)}>
      {onward}
      <Text>{t(app === undefined ? 'newLinkText' : 'newLinkInApp')}</Text>
      <MailForm button={t('sendLink')} send={(email) => tessera.resendVerification({ email, ...app })} sent={setSentTo} />
      {app === undefined ? <PageLink to="/auth/sign-in">{t('backToSignIn')}</PageLink> : null}
    </Card>
  );
}

/** An address that was added to an account is confirmed by its owner; the tab keeps the link. */
function SignInAsOwner({ isSignedIn, to }: { readonly isSignedIn: boolean; readonly to?: string }) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const leave = async () => {
    setPending(true);
    try {
      if (isSignedIn) await tessera.signOut();
    } catch (error) {
      setProblem(error);
      setPending(false);
      return;
    }
    const { pathname, search } = window.location;
    window.location.assign(`/auth/sign-in?${new URLSearchParams({ return_to: to ?? pathname + search })}`);
  };
  return (
    <>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      <Button variant={isSignedIn ? 'filled' : 'default'} loading={isPending} onClick={() => void leave()}>
        {t(isSignedIn ? 'useOther' : 'verifySignIn')}
      </Button>
    </>
  );
}
