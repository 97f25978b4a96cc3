import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { type OrganizationScope, pathOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

const most = 3;

/** What is offered to an organization and waits for its answer. */
export function Offers({ scope }: { readonly scope: OrganizationScope }) {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { data } = useQuery({
    queryKey: ['console', 'offers', scope.id],
    queryFn: () => tessera.listProjectGrants({ scope, status: 'offered', limit: most, sortField: 'createdAt', sortOrder: 'desc' }),
  });
  return data?.items.map(({ id, project, ownerOrganization }) => (
    <div className="banner" key={id}>
      <Notice>
        <Group justify="space-between" gap="xs">
          <Text span>{t('offerOf', { owner: ownerOrganization.name, project: project.name })}</Text>
          <NavigationLink to={pathOf(place, `applications/${id}`)}>{t('lookAtOffer')}</NavigationLink>
        </Group>
      </Notice>
    </div>
  ));
}
