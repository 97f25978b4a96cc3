import { Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';

type ProvidersProps = { readonly action: 'login' | 'register'; readonly returnTo: string | undefined };

export function callbackPath(returnTo: string | undefined): string {
  return returnTo === undefined ? '/auth/callback' : `/auth/callback?${new URLSearchParams({ return_to: returnTo })}`;
}

/** A button for each configured provider; nothing when there is none. */
export function Providers({ action, returnTo }: ProvidersProps) {
  const { t } = useWords();
  const { data } = useQuery(optionsQuery);
  if (data === undefined || data.providers.length === 0) return null;
  return (
    <Stack gap="sm">
      <Divider label={t('or')} />
      {data.providers.map(({ name, label }) => (
        <Button
          key={name}
          component="a"
          variant="default"
          href={tessera.signInUrl({ provider: name, action, redirect: callbackPath(returnTo) })}
          fullWidth
        >
          {t('with', { provider: label })}
        </Button>
      ))}
    </Stack>
  );
}
