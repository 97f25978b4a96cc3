import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { TesseraError } from '@tessera/client';
import { useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { AddressCode } from '../parts/address-code.tsx';
import { requireOrganizationName, useForm } from '../parts/form.ts';
import { PlaceOfApp, useAnswer, WithInteraction } from '../parts/interaction.tsx';
import { PageLink } from '../parts/link.tsx';
import { answer, type Interaction, interactionQuery } from '../session/interactions.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** For which of their organizations a person signs in to an app. */
export function AppOrganization() {
  const { interaction: id } = usePageSearch();
  if (id === undefined) return <ErrorPage reason="not_found" />;
  return <WithInteraction id={id}>{(asked) => <Choose id={id} asked={asked} />}</WithInteraction>;
}

type Props = { readonly id: string; readonly asked: Interaction };

function Choose({ id, asked }: Props) {
  const { account, prompt, organizations, canSignUp } = asked;
  // The session has ended meanwhile.
  if (account === null) return <Navigate to="/auth/sign-in" search={{ return_to: `/auth/organization?interaction=${id}` }} replace />;
  if (prompt !== 'organization') return <ErrorPage reason="invalid_request" />;
  if (organizations.length > 0) return <OneOf id={id} asked={asked} />;
  return canSignUp ? <New id={id} asked={asked} /> : <None id={id} asked={asked} />;
}

/** From so many on, a field finds them by name. */
const manyOrganizations = 8;

function OneOf({ id, asked: { app, account, organizations } }: Props) {
  const { t } = useWords();
  const { pending, problem, send } = useAnswer(id);
  const [chosen, setChosen] = useState<string>();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = organizations.filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(wanted));
  const choose = (organizationId: string) => {
    setChosen(organizationId);
    void send('continue', { organizationId });
  };
  return (
    <Card title={t('organizationTitle', { app: app.name })} text={t('signedInAs', { who: account?.email ?? account?.name ?? '' })}>
      <PlaceOfApp app={app} />
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {organizations.length < manyOrganizations ? null : (
        <TextInput label={t('organizationFind')} value={search} onChange={(event) => setSearch(event.currentTarget.value)} />
      )}
      <ul className="organizations" aria-label={t('organizationList')}>
        {shown.map(({ id: organizationId, name, slug }) => (
          <li key={organizationId}>
            <Button
              variant="default"
              fullWidth
              loading={chosen === organizationId && pending === 'continue'}
              disabled={pending !== undefined && chosen !== organizationId}
              onClick={() => choose(organizationId)}
            >
              <span className="choice">
                <span>{name}</span>
                <Text span size="sm" c="dimmed">
                  {slug}
                </Text>
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" role="status">
        {t(shown.length === 0 ? 'organizationNotFound' : 'organizationRemembered')}
      </Text>
      <Button variant="subtle" loading={pending === 'deny'} onClick={() => void send('deny')}>
        {t('backToApp', { app: app.name })}
      </Button>
    </Card>
  );
}

/** The first one of a person: they name it, become its Owner, and go on to the app. */
function New({ id, asked: { app, account } }: Props) {
  const { t } = useWords();
  const queries = useQueryClient();
  const { pending, problem, send } = useAnswer(id);
  const [isLeaving, setLeaving] = useState(false);
  const [asksForCode, setAsksForCode] = useState(false);
  const make = async (name: string) => {
    try {
      await answer({ id, action: 'continue', organizationName: name.trim() });
      setLeaving(true);
    } catch (error) {
      const code = error instanceof TesseraError ? error.code : undefined;
      if (code === 'ADDRESS_NOT_HELD') return setAsksForCode(true);
      // Another tab was faster, or the app lets no person sign up any more: the page reads its state anew.
      if (code === 'CONFLICT' || code === 'FORBIDDEN') await queries.invalidateQueries(interactionQuery(id));
      throw error;
    }
  };
  const { form, field, ...made } = useForm({
    initial: { name: '' },
    check: { name: requireOrganizationName },
    serverFields: { organizationName: 'name' },
    send: ({ name }) => make(name),
  });
  const names = { app: app.name, who: account?.email ?? account?.name ?? '' };
  const wrong = made.problem ?? problem;
  return (
    <Card title={t('organizationNewTitle', names)} text={t('organizationNewText', names)}>
      <PlaceOfApp app={app} />
      {wrong === undefined ? null : <Problem>{wrong}</Problem>}
      {asksForCode ? <AddressCode held={() => setAsksForCode(false)} /> : null}
      <form {...form} hidden={asksForCode}>
        <Stack gap="md">
          <TextInput {...field('name')} label={t('organizationNewName')} autoComplete="organization" maxLength={255} />
          <Button type="submit" loading={made.isPending || isLeaving} fullWidth>
            {t('organizationNew')}
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        {t('organizationNewElse', names)}
      </Text>
      <Button variant="subtle" loading={pending === 'deny'} disabled={isLeaving} onClick={() => void send('deny')}>
        {t('backToApp', names)}
      </Button>
      <Group gap="xs" justify="center">
        <PageLink to="/auth/logout">{t('signOut')}</PageLink>
      </Group>
    </Card>
  );
}

function None({ id, asked: { app, account } }: Props) {
  const { t } = useWords();
  const { pending, problem, send } = useAnswer(id);
  const names = { app: app.name };
  return (
    <Card
      title={t('organizationNoneTitle', names)}
      text={t('organizationNoneText', { ...names, who: account?.email ?? account?.name ?? '' })}
    >
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Text>{t('organizationNoneNext')}</Text>
      <Button loading={pending === 'deny'} onClick={() => void send('deny')}>
        {t('backToApp', names)}
      </Button>
      <Group gap="xs" justify="center">
        <PageLink to="/auth/logout">{t('signOut')}</PageLink>
      </Group>
    </Card>
  );
}
