import { useNavigate } from '@tanstack/react-router';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { CreateButton } from '../../parts/form/edit.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import type { ServiceAccount } from './account.ts';
import { Edit } from './edit.tsx';
import { End } from './end.tsx';
import { makerNames, roleNames } from './roles.ts';
import { Status, useLastUse } from './status.tsx';

type Row = ServiceAccount & { readonly roles: readonly string[]; readonly maker: string | undefined };

/** The machines that act for the organization. */
export function Screen() {
  const { t } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const navigate = useNavigate();
  const lastUse = useLastUse();
  const chosen = useItem('service accounts', dialog.id, (ids) => tessera.listServiceAccounts({ scope, ids }));
  const pathOfAccount = (id: string) => pathOf(place, `service-accounts/${id}`);
  return (
    <>
      <Head title={t('serviceAccounts')} text={t('serviceAccountsText')}>
        <CreateButton needs="ServiceAccount:Create" label={t('newServiceAccount')} />
      </Head>
      <List<Row>
        name="service accounts"
        label={t('serviceAccounts')}
        icon="device"
        empty={t('noServiceAccounts')}
        emptyText={t('noServiceAccountsText')}
        sort="name asc"
        load={async (asked) => {
          const page = await tessera.listServiceAccounts({ scope, ...asked });
          const [roles, makers] = await Promise.all([
            roleNames(
              scope,
              page.items.flatMap(({ roleIds }) => roleIds),
            ),
            makerNames(
              scope,
              page.items.map(({ createdBy }) => createdBy),
            ),
          ]);
          const items = page.items.map((account) => ({
            ...account,
            roles: account.roleIds.flatMap((id) => roles.get(id) ?? []),
            maker: makers.get(account.createdBy),
          }));
          return { ...page, items };
        }}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ id, name }) => <NavigationLink to={pathOfAccount(id)}>{name}</NavigationLink> },
          { label: t('roles'), cell: ({ roles }) => roles.join(', ') || '–' },
          { label: t('madeBy'), cell: ({ maker }) => maker ?? t('hasLeft') },
          { label: t('lastUsedAt'), cell: (account) => lastUse(account) },
          { label: t('status'), cell: (account) => <Status account={account} /> },
        ]}
        actions={({ id }) =>
          allowed(
            [true, { label: t('open'), run: () => void navigate({ to: pathOfAccount(id) }) }],
            [may('ServiceAccount:Update'), { label: t('edit'), run: () => dialog.open('edit', id) }],
            [may('ServiceAccount:Delete'), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      {dialog.name === 'create' && may('ServiceAccount:Create') ? (
        <Edit close={dialog.close} made={({ id }) => void navigate({ to: pathOfAccount(id), search: { do: 'credential' } })} />
      ) : null}
      {dialog.name === 'edit' && chosen && may('ServiceAccount:Update') ? <Edit account={chosen} close={dialog.close} /> : null}
      {dialog.name === 'delete' && chosen && may('ServiceAccount:Delete') ? <End account={chosen} close={dialog.close} /> : null}
    </>
  );
}
