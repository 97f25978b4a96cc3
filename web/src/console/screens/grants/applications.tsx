import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { type Grant, GrantStatus, isOpen, narrowedTo, useStateFilters } from './status.tsx';

/** The projects of other organizations that this one uses, and those that it is offered. */
export function Screen() {
  const { t, count } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const filters = useStateFilters();
  return (
    <>
      <Head title={t('applications')} text={t('applicationsText')} />
      <List<Grant>
        name="applications"
        label={t('applications')}
        icon="app"
        empty={t('noApplications')}
        emptyText={t('noApplicationsText', { id: scope.id })}
        sort="createdAt desc"
        filters={filters}
        load={(asked, filter) => tessera.listProjectGrants({ scope, ...asked, ...narrowedTo(filter) })}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: ({ id, project }) => <NavigationLink to={pathOf(place, `applications/${id}`)}>{project.name}</NavigationLink>,
          },
          { label: t('vendor'), cell: ({ ownerOrganization }) => ownerOrganization.name },
          { label: t('status'), cell: ({ status }) => <GrantStatus status={status} /> },
          { label: t('peopleWithRoles'), cell: (grant) => (isOpen(grant) ? count(grant.memberCount) : '–') },
          { label: t('offeredAt'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
      />
    </>
  );
}
