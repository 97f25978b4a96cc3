import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOfPlatform } from '../../base/scope.ts';
import { Head, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';

/** Finds a person by a whole address or an id: there is no list of all people. */
export function Screen() {
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const found = useQuery({
    queryKey: ['console', 'platform people', search],
    queryFn: () => tessera.findPlatformUsers({ search }),
    enabled: search !== '',
  });
  return (
    <>
      <Head title={t('people')} text={t('platformPeopleText')} />
      <form
        className="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          setSearch(typed.trim());
        }}
      >
        <TextInput
          label={t('addressOrId')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          maxLength={320}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" mt="sm" disabled={typed.trim() === ''}>
          {t('find')}
        </Button>
      </form>
      {found.isLoading ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data === undefined ? null : (
        <div aria-live="polite">
          {found.data.items.length === 0 ? <Text c="dimmed">{t('nobodyFound')}</Text> : null}
          <ul className="list" aria-label={t('people')}>
            {found.data.items.map(({ id, name, email, isBlocked }) => (
              <li key={id}>
                <span className="wrap">
                  <NavigationLink to={`${pathOfPlatform('people')}/${id}`}>{name}</NavigationLink> {email ?? '–'}
                  {isBlocked ? ` · ${t('isBlocked')}` : ''}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
