import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { pathOfTenant, type Tenant, TenantStatus } from '../../parts/audit/tenant.tsx';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';

const narrowings = {
  organization: { tenant: 'organization' },
  account: { tenant: 'account' },
  suspended: { isSuspended: true },
} as const;

function narrowingOf(filter: string | undefined) {
  return filter !== undefined && Object.hasOwn(narrowings, filter) ? narrowings[filter as keyof typeof narrowings] : {};
}

/** All accounts and organizations of the installation. */
export function Screen() {
  const { t, count } = useTexts();
  return (
    <>
      <Head title={t('tenants')} text={t('tenantsText')} />
      <List<Tenant>
        name="tenants"
        label={t('tenants')}
        icon="stack"
        empty={t('noTenants')}
        sort="createdAt desc"
        filters={[
          { value: 'organization', label: t('organizations') },
          { value: 'account', label: t('accounts') },
          { value: 'suspended', label: t('suspended') },
        ]}
        load={(asked, filter) => tessera.listTenants({ ...asked, ...narrowingOf(filter) })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ id, name }) => <NavigationLink to={pathOfTenant(id)}>{name}</NavigationLink> },
          { label: t('kind'), cell: ({ tenant }) => t(tenant) },
          { label: t('slugOrAddress'), cell: ({ slug, email }) => slug ?? email ?? '–' },
          { label: t('members'), cell: ({ memberCount }) => count(memberCount) },
          { label: t('projects'), cell: ({ projectCount }) => count(projectCount) },
          { label: t('status'), sort: 'suspendedAt', cell: (tenant) => <TenantStatus tenant={tenant} /> },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
      />
    </>
  );
}
