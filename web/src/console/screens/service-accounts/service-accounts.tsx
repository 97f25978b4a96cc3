import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import type { ServiceAccount } from './account.ts';
import { Edit } from './edit.tsx';
import { End } from './end.tsx';
import { useOwner } from './owner.ts';
import { roleNames, useMakerNames } from './roles.ts';
import { Status, useLastUse } from './status.tsx';

type Row = ServiceAccount & { readonly roles: readonly string[]; readonly maker: string | undefined };

const texts = {
  organization: 'serviceAccountsText',
  account: 'serviceAccountsOfAccountText',
  platform: 'serviceAccountsOfPlatformText',
} as const;

/** The machines that act for an organization, an account or the platform. */
export function Screen() {
  const { t } = useTexts();
  const owner = useOwner();
  const makerNames = useMakerNames();
  const dialog = useDialog();
  const navigate = useNavigate();
  const lastUse = useLastUse();
  const chosen = useItem('service accounts', dialog.id, (ids) => owner.list({ ids }));
  return (
    <>
      <Head title={t('serviceAccounts')} text={t(texts[owner.kind])}>
        {owner.may('Create') ? <Button onClick={() => dialog.open('create')}>{t('newServiceAccount')}</Button> : null}
      </Head>
      <List<Row>
        name="service accounts"
        label={t('serviceAccounts')}
        icon="device"
        empty={t('noServiceAccounts')}
        emptyText={t('noServiceAccountsText')}
        sort="name asc"
        load={async (asked) => {
          const page = await owner.list(asked);
          const [roles, makers] = await Promise.all([
            roleNames(
              owner,
              page.items.flatMap(({ roleIds }) => roleIds),
            ),
            makerNames(
              owner,
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
          { label: t('nameLabel'), sort: 'name', cell: ({ id, name }) => <NavigationLink to={owner.path(id)}>{name}</NavigationLink> },
          { label: t('roles'), cell: ({ roles }) => roles.join(', ') || '–' },
          { label: t('madeBy'), cell: ({ maker }) => maker ?? t(owner.kind === 'platform' ? 'anotherAdministrator' : 'hasLeft') },
          { label: t('lastUsedAt'), cell: (account) => lastUse(account) },
          { label: t('status'), cell: (account) => <Status account={account} /> },
        ]}
        actions={({ id }) =>
          allowed(
            [true, { label: t('open'), run: () => void navigate({ to: owner.path(id) }) }],
            [owner.may('Update'), { label: t('edit'), run: () => dialog.open('edit', id) }],
            [owner.may('Delete'), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      {dialog.name === 'create' && owner.may('Create') ? (
        <Edit close={dialog.close} made={({ id }) => void navigate({ to: owner.path(id), search: { do: 'credential' } })} />
      ) : null}
      {dialog.name === 'edit' && chosen && owner.may('Update') ? <Edit account={chosen} close={dialog.close} /> : null}
      {dialog.name === 'delete' && chosen && owner.may('Delete') ? <End account={chosen} close={dialog.close} /> : null}
    </>
  );
}
