import { Badge, Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';

type Person = Item<'listDirectoryPeople'>;
const states = ['active', 'inactive', 'invited', 'waiting', 'detached', 'absent'] as const;

/** The people whom the directory has sent, and what became of each. */
export function Screen() {
  const { t } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  return (
    <>
      <Head title={t('directoryPeople')} text={t('directoryPeopleText')} />
      <List<Person>
        name="directory people"
        label={t('directoryPeople')}
        icon="people"
        empty={t('noDirectoryPeople')}
        emptyText={t('noDirectoryPeopleText')}
        filters={states.map((value) => ({ value, label: t(`person_${value}`) }))}
        load={(asked, filter) => {
          const state = states.find((one) => one === filter);
          return tessera.listDirectoryPeople({ scope, ...asked, ...(state === undefined ? {} : { state }) });
        }}
        columns={[
          {
            label: t('directoryUserName'),
            sort: 'userName',
            cell: ({ userId, userName }) =>
              userId === null ? userName : <NavigationLink to={pathOf(place, `members/${userId}`)}>{userName}</NavigationLink>,
          },
          { label: t('nameLabel'), cell: ({ name }) => name || '–' },
          {
            label: t('status'),
            cell: ({ state }) => (
              <>
                <Badge
                  variant={state === 'detached' || state === 'absent' ? 'outline' : 'light'}
                  {...(state === 'active' ? {} : { color: 'gray' })}
                >
                  {t(`person_${state}`)}
                </Badge>
                {state === 'absent' ? (
                  <Text size="sm" c="dimmed">
                    {t('absentHelp')}
                  </Text>
                ) : null}
              </>
            ),
          },
          { label: t('since'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
      />
    </>
  );
}
