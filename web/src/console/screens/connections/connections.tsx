import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Notice } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { CreateButton } from '../../parts/form/edit.tsx';
import { List } from '../../parts/list/list.tsx';
import { SignInOfPeople } from './around.tsx';
import type { Connection } from './connection.ts';
import { NewConnection } from './new-connection.tsx';
import { Status } from './status.tsx';

/** The identity providers by which people of the organization sign in. */
export function Screen() {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const navigate = useNavigate();
  return (
    <>
      <Head title={t('connections')} text={t('connectionsText')}>
        <CreateButton needs="Connection:Create" label={t('newConnection')} />
      </Head>
      <SignInOfPeople here="connections" />
      <WithoutDomain />
      <List<Connection>
        name="connections"
        label={t('connections')}
        icon="door"
        empty={t('noConnections')}
        emptyText={t('noConnectionsText')}
        load={(asked) => tessera.listConnections({ scope, ...asked })}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: ({ id, name }) => <NavigationLink to={pathOf(place, `connections/${id}`)}>{name}</NavigationLink>,
          },
          { label: t('kind'), cell: ({ type }) => t(`connection_${type}`) },
          { label: t('status'), cell: (one) => <Status connection={one} /> },
          {
            label: t('lastPassedTest'),
            cell: ({ testedAt }) => <Text size="sm">{testedAt === null ? t('notTested') : when(testedAt)}</Text>,
          },
          {
            label: t('lastUsedAt'),
            cell: ({ lastUsedAt }) => <Text size="sm">{lastUsedAt === null ? t('never') : when(lastUsedAt)}</Text>,
          },
        ]}
      />
      {dialog.name === 'create' && may('Connection:Create') ? (
        <NewConnection close={dialog.close} made={({ id }) => void navigate({ to: pathOf(place, `connections/${id}`) })} />
      ) : null}
    </>
  );
}

/** A provider speaks for addresses of proven domains only: that comes first. */
function WithoutDomain() {
  const { t } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const { may } = useRights();
  const { data } = useQuery({
    queryKey: ['console', 'proven domains', scope.id],
    queryFn: async () =>
      (await tessera.listDomains({ scope, limit: 100 })).items.some(({ status }) => status === 'verified' || status === 'failing'),
    enabled: may('Domain:Query'),
  });
  if (data !== false) return null;
  return (
    <div className="above-list">
      <Notice>
        {t('domainFirst')} <NavigationLink to={pathOf(place, 'domains')}>{t('toDomains')}</NavigationLink>
      </Notice>
    </div>
  );
}
