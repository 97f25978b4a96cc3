import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem, Waiting } from '../look/page.tsx';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { requireEmail, useForm } from './form.ts';
import { callbackPath } from './providers.tsx';
import { rememberAddress, typedAddress } from './typed.ts';

/** Where the identity provider of an organization is. The address is a hint: the provider asks. */
export function connectionUrl(id: string, returnTo: string | undefined, email = ''): string {
  const hint = email.trim() === '' ? {} : { login_hint: email.trim() };
  return tessera.signInUrl({ provider: `connections/${id}`, action: 'login', redirect: callbackPath(returnTo), ...hint });
}

/** The connection by which a person has to come; undefined for another error. */
export function requiredConnectionOf(error: unknown): string | undefined {
  return error instanceof TesseraError && error.code === 'CONNECTION_REQUIRED' ? String(error.extensions['connectionId'] ?? '') : undefined;
}

type Props = {
  readonly returnTo: string | undefined;
  readonly children: ReactNode;
  /** The person has asked for the ways of this installation. */
  readonly isOther?: boolean;
};

/**
 * Where organizations have identity providers of their own the address is asked first: its domain
 * decides. The ways of this installation come after, for an address that has none.
 */
export function AddressFirst({ returnTo, children, isOther = false }: Props) {
  const { data, isPending, failureCount } = useQuery(optionsQuery);
  const [isAsked, setAsked] = useState(isOther);
  // The field of the address is gone, and the focus with it.
  useEffect(() => {
    if (isAsked) document.querySelector<HTMLInputElement>('input[type="password"]')?.focus();
  }, [isAsked]);
  // A form that is replaced a moment later would lose what was typed into it.
  if (isPending && failureCount === 0) return <Waiting />;
  if (data?.hasConnections !== true || isAsked) return children;
  return <AskAddress returnTo={returnTo} goOn={() => setAsked(true)} />;
}

function AskAddress({ returnTo, goOn }: { readonly returnTo: string | undefined; readonly goOn: () => void }) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { email: typedAddress() },
    check: { email: requireEmail },
    serverFields: { email: 'email' },
    send: async ({ email }) => {
      const { connection } = await tessera.discoverSignIn({ email: email.trim() });
      rememberAddress(email);
      if (connection === null) goOn();
      else window.location.assign(connectionUrl(connection.id, returnTo, email));
    },
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('email')} label={t('email')} type="email" autoComplete="username" inputMode="email" />
        <Button type="submit" loading={isPending} fullWidth>
          {t('continue')}
        </Button>
        {/* While the provider of an organization is down, for instance. */}
        <Button variant="default" onClick={goOn} fullWidth>
          {t('otherWays')}
        </Button>
      </Stack>
    </form>
  );
}
