import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Card, Notice, Problem, useProductName, Waiting, Words } from '../look/page.tsx';
import { AddressFirst, connectionUrl, requiredConnectionOf } from '../parts/address-first.tsx';
import { type CodeFor, EmailCodeForm, requestCode } from '../parts/email-code.tsx';
import { messageOf, requireEmail, requirePassword, useForm } from '../parts/form.ts';
import { PageLink } from '../parts/link.tsx';
import { PasswordField } from '../parts/password.tsx';
import { Providers } from '../parts/providers.tsx';
import { answerWithPasskey, type Due, PasskeyButton, SecondFactorForm } from '../parts/second-factor.tsx';
import { rememberAddress, typedAddress } from '../parts/typed.ts';
import { pathOf } from '../session/interactions.ts';
import { meQuery, nameOf, optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { usePageSearch, useReturn } from './search.ts';

export function SignIn() {
  const { t } = useWords();
  const { search, go } = useReturn();
  const { reason, way } = usePageSearch();
  const product = useProductName();
  const me = useQuery(meQuery);
  const options = useQuery(optionsQuery);
  const [isOther, setOther] = useState(false);
  const [due, setDue] = useState<Due>();
  const [codeTo, setCodeTo] = useState<string>();
  const byPasskey = async () => {
    await tessera.loginWithPasskey({ credential: await answerWithPasskey(await tessera.getPasskeyOptions()) });
    go();
  };

  if (due !== undefined) return <SecondFactorForm due={due} done={go} />;

  if (me.isPending && !isOther) return <Waiting />;
  if (options.data?.hasUsers === false) return <Navigate to="/auth/register" search={search} replace />;
  if (me.data && !isOther) {
    const who = nameOf(me.data);
    return (
      <Card title={t('signInTitle', { product })} text={t('signedInAs', { who })}>
        <Button onClick={go}>
          <Words text={t('continueAs', { who })} />
        </Button>
        <Button variant="default" onClick={() => setOther(true)}>
          {t('useOther')}
        </Button>
      </Card>
    );
  }
  const done = (asked: Due | undefined) => (asked === undefined ? go() : setDue(asked));
  if (codeTo !== undefined) {
    const back = () => setCodeTo(undefined);
    return <EmailCodeForm title={t('emailCodeTitle')} email={codeTo} codeFor={{}} done={done} back={back} />;
  }
  const code = options.data?.hasEmailCodes === true ? { codeFor: {}, sent: setCodeTo } : undefined;
  return (
    <Card title={t('signInTitle', { product })}>
      {reason === 'ended' ? <Notice>{t('endedSession')}</Notice> : null}
      <AddressFirst returnTo={search.return_to} isOther={way === 'other'}>
        <PasswordSignIn done={done} code={code} />
        <PasskeyButton label={t('passkeySignIn')} act={byPasskey} variant="default" />
        <Providers action="login" returnTo={search.return_to} />
      </AddressFirst>
      <Group gap="xs" justify="center">
        {t('noAccount')}
        <PageLink to="/auth/register" search={search}>
          {t('register')}
        </PageLink>
      </Group>
    </Card>
  );
}

type PasswordProps = {
  readonly done: (due: Due | undefined) => void;
  /** Takes an address to which a code was sent; left out where codes are no way to sign in. */
  readonly code?: { readonly codeFor: CodeFor; readonly sent: (email: string) => void } | undefined;
};

export function PasswordSignIn({ done, code }: PasswordProps) {
  const { t } = useWords();
  const { interaction } = usePageSearch();
  const { search: toHere } = useReturn();
  // Who chooses a new password on the way to an app goes on to it.
  const search = interaction === undefined ? toHere : { return_to: pathOf(interaction) };
  const { form, field, values, problem, isPending } = useForm({
    initial: { email: typedAddress(), password: '' },
    check: { email: requireEmail, password: requirePassword },
    serverFields: { providerId: 'email', 'providerData.password': 'password' },
    send: async ({ email, password }) => {
      const credentials = { provider: 'email', providerId: email.trim(), providerData: { password } } as const;
      const answer = await tessera.login(credentials).catch((error: unknown) => {
        const connection = requiredConnectionOf(error);
        if (connection === undefined) throw error;
        window.location.assign(connectionUrl(connection, search.return_to, email));
      });
      if (answer !== undefined) done(answer.secondFactor);
    },
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('email')} label={t('email')} type="email" autoComplete="username" inputMode="email" />
        <PasswordField {...field('password')} label={t('password')} />
        <PageLink to="/auth/forgot-password" search={search} size="sm" onClick={() => rememberAddress(values.email)}>
          {t('forgotPassword')}
        </PageLink>
        <Button type="submit" loading={isPending} fullWidth>
          {t('signIn')}
        </Button>
        {code === undefined ? null : <SendCode email={values.email} {...code} />}
      </Stack>
    </form>
  );
}

type SendCodeProps = { readonly email: string; readonly codeFor: CodeFor; readonly sent: (email: string) => void };

/** Needs the address alone. */
function SendCode({ email, codeFor, sent }: SendCodeProps) {
  const { t } = useWords();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const send = async () => {
    const fault = requireEmail(email);
    if (fault !== undefined) return setProblem(t(fault));
    setPending(true);
    setProblem(undefined);
    try {
      rememberAddress(email);
      await requestCode(email.trim(), codeFor);
      sent(email.trim());
    } catch (error) {
      setProblem(messageOf(error));
      setPending(false);
    }
  };
  return (
    <>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Button variant="default" loading={isPending} onClick={() => void send()} fullWidth>
        {t('emailCodeAsk')}
      </Button>
    </>
  );
}
