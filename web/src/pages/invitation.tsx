import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Output, TesseraError, type TesseraErrorKey } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Notice, Problem, Waiting, Words } from '../look/page.tsx';
import { messageOf, requireName, useForm } from '../parts/form.ts';
import { PasswordField, requireGoodPassword } from '../parts/password.tsx';
import { rememberAddress } from '../parts/typed.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { home } from '../session/return-to.ts';
import { type Me, meQuery, nameOf, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { useFaceOf } from './face.ts';
import { LinkSecretContext } from './link-secret-context.ts';

type Offer = Output<'getInvitation'>;
type OpenProps = { readonly token: string; readonly offer: Offer };

export function Invitation() {
  const { t } = useWords();
  const { token = '', spent } = use(LinkSecretContext);
  const me = useQuery(meQuery);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => tessera.getInvitation({ token }),
    enabled: token !== '',
    retry: false,
  });
  useFaceOf(invitation.data?.organizationId);
  if (spent !== undefined)
    return (
      <Card title={t('inviteClosedTitle')} text={t('inviteUsed')}>
        <Button component="a" href={home}>
          {t('continue')}
        </Button>
      </Card>
    );
  if (token === '') return <Card title={t('linkCutTitle')} text={t('linkCutText')} />;
  if (invitation.error) return <Unreadable error={invitation.error} again={() => void invitation.refetch()} />;
  if (invitation.data === undefined || me.isPending) return <Waiting />;
  if (invitation.data.status !== 'pending') return <Closed offer={invitation.data} />;
  return <Open token={token} offer={invitation.data} me={me.data ?? null} />;
}

function Unreadable({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const { t } = useWords();
  if (error instanceof TesseraError && (error.status === 404 || error.status === 400))
    return <Card title={t('linkDeadTitle')} text={t('inviteUnknown')} />;
  return (
    <Card title={t('errorTitle')}>
      <Problem>{messageOf(error)}</Problem>
      <Button onClick={again}>{t('tryAgain')}</Button>
    </Card>
  );
}

const closedTexts = { accepted: 'inviteAccepted', expired: 'inviteExpired', revoked: 'inviteRevoked', pending: 'inviteUnknown' } as const;

function Closed({ offer: { status, organizationName: organization } }: { readonly offer: Offer }) {
  const { t } = useWords();
  return (
    <Card title={t('inviteClosedTitle')} text={t(closedTexts[status], { organization })}>
      <Button component="a" href={home}>
        {t(status === 'accepted' ? 'signIn' : 'continue')}
      </Button>
    </Card>
  );
}

function Open({ token, offer, me }: OpenProps & { readonly me: Me | null }) {
  const { t } = useWords();
  const { email, organizationName: organization } = offer;
  const [step, setStep] = useState<'offer' | 'register' | 'joined' | 'someone-else' | 'reject'>('offer');
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const isOther = me !== null && me.email?.toLowerCase() !== email.toLowerCase();

  if (step === 'joined') return <Joined organization={organization} isSignedIn={me !== null} />;
  if (step === 'register') return <RegisterAndJoin token={token} offer={offer} joined={() => setStep('joined')} />;

  const run = async (work: () => Promise<void>) => {
    setPending(true);
    setProblem(undefined);
    await work().catch((error: unknown) => {
      if (hasKey(error, 'errors.organizationInvitation.notTheAddressee')) setStep('someone-else');
      else setProblem(error);
    });
    setPending(false);
  };
  const accept = () =>
    run(async () => {
      const { requiresRegistration } = await tessera.acceptInvitation({ token });
      if (!requiresRegistration) forgetLinkSecret();
      rememberAddress(email);
      setStep(requiresRegistration ? 'register' : 'joined');
    });
  const signOut = () =>
    run(async () => {
      await tessera.signOut();
      setStep('offer');
    });
  const reject = () =>
    run(async () => {
      await tessera.rejectInvitedAccount({ token });
      setStep('register');
    });
  const title = t('inviteTitle', { organization });
  if (step === 'reject')
    return (
      <Card title={title} text={t('inviteRejectText', { email })}>
        {problem === undefined || hasKey(problem, 'errors.organizationInvitation.signInFirst') ? null : (
          <Problem>{messageOf(problem)}</Problem>
        )}
        <Button color="red.9" loading={isPending} onClick={() => void reject()}>
          {t('inviteRejectConfirm')}
        </Button>
        <Button variant="default" disabled={isPending} onClick={() => setStep('offer')}>
          {t('rejectCancel')}
        </Button>
      </Card>
    );
  if (me !== null && step === 'someone-else')
    return (
      <Card title={title}>
        <Problem>{t('inviteElsewhere', { who: nameOf(me), email })}</Problem>
        <Button loading={isPending} onClick={() => void signOut()}>
          {t('inviteSignOut')}
        </Button>
        <Button component="a" href={home} variant="default">
          <Words text={t('continueAs', { who: nameOf(me) })} />
        </Button>
      </Card>
    );
  return (
    <Card title={title} text={t('inviteText', { organization, email })}>
      {me !== null ? <Notice>{t('signedInAs', { who: nameOf(me) })}</Notice> : null}
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {hasKey(problem, 'errors.organizationInvitation.signInFirst') ? (
        <>
          <Button component="a" variant="default" href={`/auth/sign-in?${new URLSearchParams({ return_to: '/invitations/accept' })}`}>
            {t('signIn')}
          </Button>
          <Button variant="default" onClick={() => setStep('reject')}>
            {t('inviteReject')}
          </Button>
        </>
      ) : null}
      <Button loading={isPending} onClick={() => void accept()}>
        {t('inviteButton')}
      </Button>
      {isOther ? (
        <Button variant="default" disabled={isPending} onClick={() => void signOut()}>
          {t('inviteSignOut')}
        </Button>
      ) : null}
    </Card>
  );
}

function hasKey(error: unknown, key: TesseraErrorKey): boolean {
  return error instanceof TesseraError && error.translationKey === key;
}

function Joined({ organization, isSignedIn }: { readonly organization: string; readonly isSignedIn: boolean }) {
  const { t } = useWords();
  return (
    <Card title={t('inviteDoneTitle')} text={t('inviteDoneText', { organization })}>
      <Button component="a" href={isSignedIn ? home : '/auth/sign-in'}>
        {t(isSignedIn ? 'continue' : 'signIn')}
      </Button>
    </Card>
  );
}

function RegisterAndJoin({
  token,
  offer: { email, name: proposed, organizationName: organization },
  joined,
}: OpenProps & { readonly joined: () => void }) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { name: proposed ?? '', password: '' },
    check: { name: requireName, password: requireGoodPassword },
    serverFields: { 'userData.name': 'name', 'userData.password': 'password', password: 'password', name: 'name' },
    send: async ({ name, password }) => {
      await tessera.acceptInvitation({ token, userData: { name: name.trim(), password } });
      forgetLinkSecret();
      await tessera.login({ provider: 'email', providerId: email, providerData: { password } });
      joined();
    },
  });
  return (
    <Card title={t('inviteTitle', { organization })} text={t('inviteRegister', { email })}>
      <form {...form}>
        <Stack gap="md">
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
          <TextInput {...field('name')} label={t('name')} autoComplete="name" />
          <PasswordField {...field('password')} label={t('password')} isNew />
          <Button type="submit" loading={isPending} fullWidth>
            {t('inviteJoin')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
