import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useOrganization } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { isExpired } from '../service-accounts/account.ts';

/** The directory's long-lived tokens, with their ends. Each is changed at its service account. */
export function Tokens() {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const found = useQuery({
    queryKey: ['console', 'directory tokens', scope.id],
    queryFn: async () => {
      const { items } = await tessera.listServiceAccounts({ scope, limit: 100 });
      return items.flatMap(({ id, name, credentials }) =>
        credentials.filter(({ type }) => type === 'directory').map((credential) => ({ accountId: id, name, credential })),
      );
    },
  });
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  const accounts = `/org/${scope.id}/service-accounts`;
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('directoryTokens')}
      </Title>
      <Text c="dimmed">{t(found.data?.length === 0 ? 'noDirectoryTokens' : 'directoryTokensText')}</Text>
      <ul className="list" aria-label={t('directoryTokens')}>
        {(found.data ?? []).map(({ accountId, name, credential }) => (
          <li key={credential.id}>
            <div>
              <NavigationLink to={`${accounts}/${accountId}`}>{name}</NavigationLink> <code>…{credential.lastFour}</code>
              <Text c="dimmed" size="sm">
                {credential.lastUsedAt === null ? t('credentialUnused') : t('credentialUsed', { when: when(credential.lastUsedAt) })} ·{' '}
                {t(isExpired(credential, Date.now()) ? 'credentialExpired' : 'credentialExpires', { when: when(credential.expiresAt) })}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      <NavigationLink to={accounts}>{t('allServiceAccounts')}</NavigationLink>
    </section>
  );
}
