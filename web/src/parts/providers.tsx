import { Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';

type ProvidersProps = {
  readonly action: 'login' | 'register';
  readonly returnTo: string | undefined;
  readonly only?: readonly string[];
  /** The app demands a fresh sign-in: the provider asks the person again. */
  readonly isFresh?: boolean;
};

export function callbackPath(returnTo: string | undefined): string {
  return returnTo === undefined ? '/auth/callback' : `/auth/callback?${new URLSearchParams({ return_to: returnTo })}`;
}

/** A button for each configured provider, or for those in `only`; nothing when there is none. */
export function Providers({ action, returnTo, only, isFresh = false }: ProvidersProps) {
  const { t } = useWords();
  const { data } = useQuery(optionsQuery);
  const providers = data?.providers.filter(({ name }) => only === undefined || only.includes(name)) ?? [];
  if (providers.length === 0) return null;
  return (
    <Stack gap="sm">
      <Divider label={t('or')} />
      {providers.map(({ name, label }) => (
        <Button
          key={name}
          component="a"
          variant="default"
          href={tessera.signInUrl({ provider: name, action, redirect: callbackPath(returnTo), ...(isFresh ? { prompt: 'login' } : {}) })}
          fullWidth
        >
          {t('with', { provider: label })}
        </Button>
      ))}
    </Stack>
  );
}
