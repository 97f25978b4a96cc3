import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Notice, Problem, Waiting, Words } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { PageLink } from '../parts/link.tsx';
import { MailForm } from '../parts/mail-form.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { home } from '../session/return-to.ts';
import { type Me, meQuery, nameOf, queries, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

type Outcome = 'verified' | 'dead';

export function VerifyEmail() {
  const { t } = useWords();
  const { token, spent } = use(LinkSecretContext);
  const me = useQuery(meQuery);
  const [outcome, setOutcome] = useState<Outcome>();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  if (me.isPending) return <Waiting />;
  if (outcome === 'verified') return <Verified me={me.data ?? null} />;
  if (token === undefined || outcome === 'dead')
    return <DeadLink me={me.data ?? null} isCut={token === undefined && spent === undefined} />;

  const verify = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      await tessera.verifyEmail({ token });
      forgetLinkSecret();
      if (me.data) {
        // The token in memory still says that the address is not verified.
        await tessera.session.refresh();
        await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      }
      setOutcome('verified');
    } catch (error) {
      if (error instanceof TesseraError && error.status === 400) setOutcome('dead');
      else setProblem(error);
    } finally {
      setPending(false);
    }
  };
  const isForOwner = problem instanceof TesseraError && (problem.status === 401 || problem.status === 403);
  return (
    <Card title={t('verifyTitle')} text={isForOwner ? undefined : t('verifyText')}>
      {me.data?.isVerified && problem === undefined ? <Notice>{t('verifyElsewhere', { who: nameOf(me.data) })}</Notice> : null}
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {isForOwner ? (
        <SignInAsOwner isSignedIn={me.data !== null} />
      ) : (
        <Button loading={isPending} onClick={() => void verify()}>
          {t('verifyButton')}
        </Button>
      )}
    </Card>
  );
}

function Verified({ me }: { readonly me: Me | null }) {
  const { t } = useWords();
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
  const [title, text] = isCut ? (['linkCutTitle', 'linkCutText'] as const) : (['linkDeadTitle', 'linkDeadText'] as const);
  if (sentTo !== undefined) return <Card title={t('checkMailTitle')} text={t('newLinkSent', { email: sentTo })} />;
  if (me?.isVerified && methods.isPending) return <Waiting />;
  // An address that was added to the account may still wait, also when the first one is confirmed.
  if (me?.isVerified && methods.data?.items.every(({ isVerified }) => isVerified))
    return (
      <Card title={t(title)} text={t('verifiedAlready', { who: nameOf(me) })}>
        <Onward me={me} />
      </Card>
    );
  return (
    <Card title={t(title)} text={t(text)}>
      <Text>{t('newLinkText')}</Text>
      <MailForm button={t('sendLink')} send={(email) => tessera.resendVerification({ email })} sent={setSentTo} />
      <PageLink to="/auth/sign-in">{t('backToSignIn')}</PageLink>
    </Card>
  );
}

/** An address that was added to an account is confirmed by its owner; the tab keeps the link. */
function SignInAsOwner({ isSignedIn }: { readonly isSignedIn: boolean }) {
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
    window.location.assign(`/auth/sign-in?${new URLSearchParams({ return_to: '/auth/verify-email' })}`);
  };
  return (
    <>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      <Button loading={isPending} onClick={() => void leave()}>
        {t(isSignedIn ? 'useOther' : 'signIn')}
      </Button>
    </>
  );
}
