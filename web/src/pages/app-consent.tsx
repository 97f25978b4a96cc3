import { Button, Stack, Text } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { Card, Notice, Problem } from '../look/page.tsx';
import { PlaceOfApp, useAnswer, WithInteraction } from '../parts/interaction.tsx';
import type { Interaction } from '../session/interactions.ts';
import { useWords } from '../words/language.tsx';
import { wordsOfScope } from '../words/scopes.ts';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** What an app wants to be able to do in a person's name. */
export function AppConsent() {
  const { interaction: id } = usePageSearch();
  if (id === undefined) return <ErrorPage reason="not_found" />;
  return <WithInteraction id={id}>{(asked) => <Consent id={id} asked={asked} />}</WithInteraction>;
}

function Consent({ id, asked }: { readonly id: string; readonly asked: Interaction }) {
  const { t } = useWords();
  const { pending, problem, send } = useAnswer(id);
  const { app, scopes, joins, account } = asked;
  // The session has ended meanwhile.
  if (account === null) return <Navigate to="/auth/sign-in" search={{ return_to: `/auth/project/consent?interaction=${id}` }} replace />;
  const names = { app: app.name };
  return (
    <Card title={t('consentTitle', names)} text={t('signedInAs', { who: account.email ?? account.name })}>
      <PlaceOfApp app={app} />
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Stack gap={4}>
        <Text>{t('consentText', names)}</Text>
        <ul className="scopes">
          {scopes.map(({ name, description }) => (
            <li key={name}>{wordsOfScope(name, t) ?? description ?? name}</li>
          ))}
        </ul>
      </Stack>
      {joins ? <Notice>{t('consentJoins')}</Notice> : null}
      <Button loading={pending === 'consent'} disabled={pending === 'deny'} onClick={() => void send('consent')}>
        {t('allow')}
      </Button>
      <Button variant="default" loading={pending === 'deny'} disabled={pending === 'consent'} onClick={() => void send('deny')}>
        {t('refuse')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('consentLater')}
      </Text>
    </Card>
  );
}
