import { Button, Text } from '@mantine/core';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { CreateButton, Delete } from '../../parts/form/edit.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import { SignInOfPeople } from '../connections/around.tsx';
import { Add } from './add.tsx';
import { type Domain, DomainRecord } from './record.tsx';
import { Status } from './status.tsx';

/** The domains that belong to the organization. */
export function Screen() {
  const { t, day } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const dialog = useDialog();
  const domain = useItem('domains', dialog.id, (ids) => tessera.listDomains({ scope, ids }));
  return (
    <>
      <Head title={t('domains')} text={t('domainsText')}>
        <CreateButton needs="Domain:Create" label={t('addDomain')} />
      </Head>
      <SignInOfPeople here="domains" />
      <List<Domain>
        name="domains"
        label={t('domains')}
        icon="globe"
        empty={t('noDomains')}
        emptyText={t('noDomainsText')}
        sort="domain asc"
        load={(asked) => tessera.listDomains({ scope, ...asked })}
        columns={[
          { label: t('domain'), sort: 'domain', cell: ({ domain: name }) => name },
          { label: t('status'), cell: (one) => <Status domain={one} /> },
          {
            label: t('record'),
            cell: ({ id }) => (
              <Button variant="default" size="compact-sm" onClick={() => dialog.open('record', id)}>
                {t('recordAndVerify')}
              </Button>
            ),
          },
          { label: t('verifiedSince'), cell: ({ verifiedAt }) => <Text size="sm">{verifiedAt === null ? '–' : day(verifiedAt)}</Text> },
        ]}
        actions={({ id }) =>
          allowed(
            [true, { label: t('recordAndVerify'), run: () => dialog.open('record', id) }],
            [may('Domain:Delete'), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      {dialog.name === 'create' && may('Domain:Create') ? <Add close={dialog.close} made={({ id }) => dialog.open('record', id)} /> : null}
      {dialog.name === 'record' && domain ? <DomainRecord domain={domain} close={dialog.close} /> : null}
      {dialog.name === 'delete' && domain && may('Domain:Delete') ? (
        <Delete
          name={domain.domain}
          text={t('deleteDomainText')}
          run={() => tessera.deleteDomain({ scope, id: domain.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}
