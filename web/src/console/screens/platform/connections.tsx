import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { Empty, Head, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import { Facts } from '../../parts/list/facts.tsx';

type PlatformConnection = Output<'listPlatformConnections'>['items'][number];

/** The identity providers of the whole installation: read here, set in its environment. */
export function Screen() {
  const { t } = useTexts();
  const found = useQuery({
    queryKey: ['console', 'platform connections'],
    queryFn: async () => (await tessera.listPlatformConnections({})).items,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return (
    <>
      <Head title={t('platformConnections')} text={t('platformConnectionsText')} />
      {found.data.length === 0 ? (
        <Empty icon="lock" title={t('noPlatformConnections')} text={t('noPlatformConnectionsText')} />
      ) : (
        <div className="panels">
          {found.data.map((connection) => (
            <Shown key={connection.name} connection={connection} />
          ))}
        </div>
      )}
    </>
  );
}

function Shown({ connection }: { readonly connection: PlatformConnection }) {
  const { t, when } = useTexts();
  const { name, type, profile, status, issuer, clientId, scopes, lastUsedAt } = connection;
  const addresses = [
    [t('redirectUri'), connection.callbackUrl],
    [t('redirectUriOfApps'), connection.projectCallbackUrl],
    [t('connectionSignInUrl'), connection.signInUrl],
  ] as const;
  return (
    <section className="panel" aria-labelledby={`provider-${name}`}>
      <div className="panel-head">
        <Title order={2} size="h4" id={`provider-${name}`}>
          {name}
        </Title>
        <Text size="sm">{t(status === 'active' ? 'connection_active' : 'notConfigured')}</Text>
      </div>
      <Facts
        facts={[
          [t('kind'), type === null ? null : t(`connection_${type}`)],
          [t('profileOfProvider'), profile],
          [t('issuer'), issuer],
          [t('clientId'), clientId],
          [t('scopes'), scopes.length === 0 ? null : scopes.join(' ')],
          [t('lastUsedAt'), lastUsedAt === null ? t('never') : when(lastUsedAt)],
        ]}
      />
      {addresses.map(([label, value]) =>
        value === null ? null : (
          <div key={label}>
            <Text size="sm" fw={500}>
              {label}
            </Text>
            <Copyable value={value} />
          </div>
        ),
      )}
    </section>
  );
}
