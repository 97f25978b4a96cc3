import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOfPlatform } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { type Tenant, TenantStatus } from '../../parts/audit/tenant.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { Limits } from './limits.tsx';
import { Suspension } from './suspension.tsx';

/** One account or organization: what it is, its limits, and its suspension. */
export function Screen() {
  const { tenantId = '' } = useParams({ strict: false }) as { readonly tenantId?: string };
  const read = async () => (await tessera.listTenants({ ids: [tenantId] })).items[0];
  const found = useQuery({ queryKey: ['console', 'tenants', 'one', tenantId], queryFn: async () => (await read()) ?? null });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found tenant={found.data} read={read} />;
}

type FoundProps = { readonly tenant: Tenant; readonly read: () => Promise<Tenant | undefined> };

function Found({ tenant, read }: FoundProps) {
  const { t } = useTexts();
  const { id, name, tenant: kind } = tenant;
  return (
    <>
      <NavigationLink to={pathOfPlatform('tenants')}>{t('allTenants')}</NavigationLink>
      <Head
        title={name}
        text={
          <>
            <TenantStatus tenant={tenant} /> <Text span>{t(kind)}</Text>
          </>
        }
      >
        <NavigationLink to={pathOfPlatform('audit')} search={{ tenant: id }}>
          {t('tenantLog')}
        </NavigationLink>
      </Head>
      <div className="panels">
        <div className="panel-stack">
          <About tenant={tenant} />
          <Suspension tenant={tenant} />
        </div>
        <Limits key={id} tenant={tenant} read={read} />
      </div>
    </>
  );
}

function About({
  tenant: { id, slug, email, ownerId, memberCount, openInvitationCount, projectCount, createdAt },
}: {
  readonly tenant: Tenant;
}) {
  const { t, count, when } = useTexts();
  const facts: readonly (readonly [string, string | null])[] = [
    [t('identifier'), id],
    [t('slug'), slug],
    [t('emailShort'), email],
    [t('ownerId'), ownerId],
    [t('members'), count(memberCount)],
    [t('openInvitations'), count(openInvitationCount)],
    [t('projects'), count(projectCount)],
    [t('created'), when(createdAt)],
  ];
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('about')}
      </Title>
      <Facts facts={facts} />
    </section>
  );
}
