import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Card, Notice, Problem, useProductName, Waiting, Words } from '../look/page.tsx';
import { requireEmail, requirePassword, useForm } from '../parts/form.ts';
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
  const { reason } = usePageSearch();
  const product = useProductName();
  const me = useQuery(meQuery);
  const options = useQuery(optionsQuery);
  const [isOther, setOther] = useState(false);
  const [due, setDue] = useState<Due>();
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
  return (
    <Card title={t('signInTitle', { product })}>
      {reason === 'ended' ? <Notice>{t('endedSession')}</Notice> : null}
      <PasswordSignIn done={(due) => (due === undefined ? go() : setDue(due))} />
      <PasskeyButton label={t('passkeySignIn')} act={byPasskey} variant="default" />
      <Providers action="login" returnTo={search.return_to} />
      <Group gap="xs" justify="center">
        {t('noAccount')}
        <PageLink to="/auth/register" search={search}>
          {t('register')}
        </PageLink>
      </Group>
    </Card>
  );
}

export function PasswordSignIn({ done }: { readonly done: (due: Due | undefined) => void }) {
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
      const { secondFactor } = await tessera.login({ provider: 'email', providerId: email.trim(), providerData: { password } });
      done(secondFactor);
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
      </Stack>
    </form>
  );
}
