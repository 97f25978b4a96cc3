import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { useState } from 'react';
import { Card, Problem, useProductName, Waiting } from '../look/page.tsx';
import { requireEmail, requireName, useForm } from '../parts/form.ts';
import { PlaceOfApp } from '../parts/interaction.tsx';
import { PageLink } from '../parts/link.tsx';
import { PasswordField, requireGoodPassword } from '../parts/password.tsx';
import { Providers } from '../parts/providers.tsx';
import { rememberAddress, typedAddress } from '../parts/typed.ts';
import { interactionOf } from '../session/interaction-path.ts';
import { interactionQuery } from '../session/interactions.ts';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { type AppOfLink, useAppOfReturn } from './app-of-link.tsx';
import { CheckMailbox } from './check-mailbox.tsx';
import { useReturn } from './search.ts';

export function Register() {
  const { t } = useWords();
  const { search } = useReturn();
  const product = useProductName();
  // As it was when the page came: the account that is made here changes it.
  const [isFirst, setFirst] = useState<boolean>();
  const options = useQuery(optionsQuery);
  const [sentTo, setSentTo] = useState<string>();
  const interaction = interactionOf(search.return_to);
  const app = useQuery({ ...interactionQuery(interaction ?? ''), enabled: interaction !== undefined });
  if (isFirst === undefined && options.data !== undefined) setFirst(!options.data.hasUsers);

  const { app: onTheWay, isPending } = useAppOfReturn();
  if (isPending) return <Waiting />;
  if (sentTo !== undefined) return <CheckMailbox email={sentTo} app={onTheWay} />;
  const ofApp = app.data && { app: app.data.app.name };
  const title = isFirst ? t('firstTitle', { product }) : ofApp ? t('registerForApp', ofApp) : t('registerTitle');
  return (
    <Card title={title} {...(isFirst ? { text: t('firstText') } : {})}>
      {app.data === undefined ? null : <PlaceOfApp app={app.data.app} />}
      <RegisterForm sent={setSentTo} isForApp={interaction !== undefined} app={onTheWay} />
      <Providers action="register" returnTo={search.return_to} />
      {isFirst ? null : (
        <Group gap="xs" justify="center">
          {t('haveAccount')}
          <PageLink to="/auth/sign-in" search={search}>
            {t('signIn')}
          </PageLink>
        </Group>
      )}
    </Card>
  );
}

type RegisterFormProps = { readonly sent: (email: string) => void; readonly isForApp: boolean; readonly app: AppOfLink | undefined };

/** A customer of an app has a personal account, and is not asked what it is for. */
function RegisterForm({ sent, isForApp, app }: RegisterFormProps) {
  const { t } = useWords();
  const { search } = useReturn();
  const [taken, setTaken] = useState<string>();
  const { form, field, values, problem, isPending } = useForm({
    initial: { name: '', email: typedAddress(), password: '', type: isForApp ? 'personal' : 'organization' },
    check: { name: requireName, email: requireEmail, password: requireGoodPassword },
    serverFields: { name: 'name', providerId: 'email', 'providerData.password': 'password' },
    send: async ({ name, email, password, type }) => {
      rememberAddress(email);
      const credentials = { provider: 'email', providerId: email.trim(), providerData: { password } } as const;
      const kind = type === 'personal' ? 'personal' : 'organization';
      await tessera.register({ name: name.trim(), type: kind, ...credentials, ...app }).catch((error: unknown) => {
        if (error instanceof TesseraError && error.status === 409) setTaken(email);
        throw error;
      });
      sent(email.trim());
    },
  });
  const { onChange, ...type } = field('type');
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('name')} label={t('name')} autoComplete="name" />
        <TextInput {...field('email')} label={t('email')} type="email" autoComplete="username" inputMode="email" />
        {taken === values.email ? (
          <Group gap="md">
            <PageLink to="/auth/sign-in" search={search}>
              {t('signIn')}
            </PageLink>
            <PageLink to="/auth/forgot-password" search={search}>
              {t('forgotPassword')}
            </PageLink>
          </Group>
        ) : null}
        <PasswordField {...field('password')} label={t('password')} isNew />
        {isForApp ? null : (
          <fieldset className="kinds">
            <legend>{t('accountType')}</legend>
            {(['organization', 'personal'] as const).map((kind) => (
              <label key={kind}>
                <input type="radio" name="type" value={kind} checked={type.value === kind} onChange={onChange} />
                {t(kind === 'personal' ? 'accountPersonal' : 'accountOrganization')}
              </label>
            ))}
          </fieldset>
        )}
        <Button type="submit" loading={isPending} fullWidth>
          {t('register')}
        </Button>
      </Stack>
    </form>
  );
}
