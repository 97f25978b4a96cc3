import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { type OrganizationScope, useOrganization } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { List } from '../../parts/list/list.tsx';
import { type Place, RolesOfGroup } from './roles-of-group.tsx';

type Group = Item<'listDirectoryGroups'>;

/** The organization, and the projects that it uses by a grant. */
function usePlaces(scope: OrganizationScope) {
  const { t } = useTexts();
  const { data = [] } = useQuery({
    queryKey: ['console', 'places of directory groups', scope.id],
    queryFn: () => Array.fromAsync(tessera.listProjectGrants({ scope, limit: 100, status: 'active' })),
  });
  return [
    { value: scope.id, label: t('thisOrganization') },
    ...data.map(({ project }) => ({ value: `${scope.id}:${project.id}`, label: project.name })),
  ];
}

/** The groups of the directory, and the roles that they give. */
export function Screen() {
  const { t, count } = useTexts();
  const organization = useOrganization();
  const places = usePlaces(organization);
  const [placeId, setPlaceId] = useState(organization.id);
  const [edited, setEdited] = useState<Group>();
  const isOrganization = placeId === organization.id;
  const scope: Place = isOrganization ? organization : { tenant: 'organizationProject', id: placeId };
  const { data: roles = [] } = useQuery({
    queryKey: ['console', 'roles of directory groups', placeId],
    queryFn: () => Array.fromAsync(tessera.listRoles({ scope, limit: 100 })),
  });
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? '…').join(', ');
  return (
    <>
      <Head title={t('directoryGroups')} text={t('directoryGroupsText')} />
      <Select
        label={t('groupRolesIn')}
        description={t('groupRolesInHelp')}
        data={places}
        value={placeId}
        onChange={(next) => setPlaceId(next ?? organization.id)}
        allowDeselect={false}
        maw={420}
        mb="md"
      />
      <List<Group>
        name={`directory groups ${placeId}`}
        label={t('directoryGroups')}
        icon="people"
        empty={t('noDirectoryGroups')}
        emptyText={t('noDirectoryGroupsText')}
        isMoving={({ change }) => change !== null}
        load={(asked) => tessera.listDirectoryGroups({ scope, ...asked })}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'displayName',
            cell: (group) => (
              <button type="button" className="as-link" onClick={() => setEdited(group)}>
                {group.displayName}
              </button>
            ),
          },
          { label: t('members'), cell: ({ memberCount }) => count(memberCount) },
          {
            label: t('groupGives'),
            cell: ({ roleIds, change }) => (
              <>
                {roleIds.length === 0 ? t('groupGivesNothing') : named(roleIds)}
                {change === null ? null : (
                  <Text size="sm" c="dimmed">
                    {t('groupChangeProgress', { done: count(change.doneCount), people: count(change.peopleCount) })}
                  </Text>
                )}
              </>
            ),
          },
        ]}
      />
      {edited ? <RolesOfGroup group={edited} scope={scope} roles={roles} close={() => setEdited(undefined)} /> : null}
    </>
  );
}
