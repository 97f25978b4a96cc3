import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { Panel } from '../../base/panel.tsx';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Facts } from '../../parts/list/facts.tsx';

type Member = Item<'listOrganizationMembers'>;

/** What the directory says of a member, and the roles that come from its groups. */
export function OfDirectory({ member }: { readonly member: Member }) {
  const { t, when } = useTexts();
  const { may } = useRights();
  const scope = useOrganization();
  const { directory } = member;
  const mayRead = may('Directory:Query');
  const roles = useQuery({
    queryKey: ['console', 'roles by groups', scope, member.id],
    queryFn: async () => {
      const grants = await Array.fromAsync(tessera.listProjectGrants({ scope, limit: 100, status: 'active' }));
      const places = [
        { scope, name: '' },
        ...grants.map(({ project }) => ({
          scope: { tenant: 'organizationProject', id: `${scope.id}:${project.id}` } as const,
          name: project.name,
        })),
      ];
      const found = await Promise.all(
        places.map(async (place) =>
          (await tessera.listDirectoryRoles({ scope: place.scope, userId: member.id })).items.map((role) => ({
            ...role,
            place: place.name,
          })),
        ),
      );
      return found.flat();
    },
    enabled: mayRead && directory !== null,
  });
  if (directory === null) return null;
  const { isActive, isDetached, detachedAt } = directory;
  const lines = (roles.data ?? []).map(({ name, place, groups }) =>
    t('roleFromGroups', {
      role: place === '' ? name : `${name} (${place})`,
      groups: groups.map(({ displayName }) => displayName).join(', '),
    }),
  );
  return (
    <Panel title={t(isDetached ? 'isDetached' : 'managedByDirectory')}>
      <Text size="sm" c="dimmed">
        {t(isDetached ? 'detachedFromDirectoryText' : 'managedByDirectoryText')}
      </Text>
      <Facts
        facts={[
          [t('directorySays'), isActive === null ? t('saysNothing') : t(isActive ? 'saysActive' : 'saysInactive')],
          [t('detachedSince'), detachedAt === null ? null : when(detachedAt)],
          [t('rolesFromGroups'), mayRead ? lines.join('\n') || t('noRolesFromGroups') : null],
        ]}
      />
    </Panel>
  );
}
