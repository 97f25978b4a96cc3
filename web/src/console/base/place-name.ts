import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../session/tessera.ts';
import { useMe } from './me.tsx';
import { useGrantOf, useProjectOf } from './project.ts';
import { type Place, usePlace } from './scope.ts';
import { useTexts } from './words.ts';

/** The names of the account or organization and of the project of the address. */
export function usePlaceName(): { readonly parent?: string | undefined; readonly project?: string | undefined; readonly kind: string } {
  const { t } = useTexts();
  const { accounts } = useMe();
  const place = usePlace();
  const isOrganization = place?.kind === 'org';
  const organization = useQuery({
    queryKey: ['console', 'organization', place?.parentId],
    queryFn: () => tessera.getOrganization({ id: idOf(place), scope: { tenant: 'organization', id: idOf(place) } }),
    enabled: isOrganization,
  });
  const project = useProjectOf(place);
  const grant = useGrantOf(place);
  const account = accounts.find(({ id }) => id === place?.parentId);
  const accountName = account && t(account.type === 'personal' ? 'personalAccount' : 'organizationAccount');
  return {
    parent: isOrganization ? organization.data?.name : accountName,
    project: project.data?.name ?? grant?.project.name,
    kind: place === undefined ? '' : t(isOrganization ? 'organization' : 'account'),
  };
}

function idOf(place: Place | undefined): string {
  return place?.parentId ?? '';
}
