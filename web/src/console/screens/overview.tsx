import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../session/tessera.ts';
import { Icon, type IconName } from '../base/icon.tsx';
import { NavigationLink } from '../base/link.tsx';
import { usePlaceName } from '../base/place-name.ts';
import { useGrantOf } from '../base/project.ts';
import { useRights } from '../base/rights.ts';
import { parentScopeOf, pathOf, type Scope, scopeOf, usePlaceHere } from '../base/scope.ts';
import { Empty, Head, NotAllowed, Retry } from '../base/states.tsx';
import { type Key, useTexts } from '../base/words.ts';
import { listPeople, useSignInText } from '../parts/person/people.ts';
import { DecisionsOverTime, SignInsOverTime } from '../parts/pictures/over-time.tsx';
import { Structure } from '../parts/pictures/structure.tsx';
import { Offers } from './grants/offers.tsx';

type Recent = { readonly id: string; readonly name: string | null; readonly createdAt: string; readonly note?: string | undefined };
type Page = {
  readonly items: readonly Recent[];
  readonly totalCount: number;
  /** What the count holds besides, where the label alone would be untrue. */
  readonly countNote?: string | undefined;
};
type Part = {
  readonly area: string;
  readonly label: Key;
  readonly icon: IconName;
  readonly needs: string;
  readonly load: (limit: number) => Promise<Page>;
};

/** What there is in a place, and what came last. */
export function Screen() {
  const { t, count } = useTexts();
  const place = usePlaceHere();
  const { parent, project, kind } = usePlaceName();
  const rights = useRights();
  const { may } = rights;
  const signInText = useSignInText();
  const scope = scopeOf(place);
  const { tenant, id } = scope;
  const isProject = tenant === 'accountProject' || tenant === 'organizationProject';
  const parts = partsOf(scope).filter(({ needs }) => may(needs));
  const grant = useGrantOf(place);
  const ofParent = parent === undefined ? t('project') : t('projectOf', { name: parent });
  const ofGrant = grant && t('usedBy', { product: grant.project.name, owner: grant.ownerOrganization.name, customer: parent ?? '' });
  const about = isProject ? (ofGrant ?? ofParent) : kind;
  // Whose rights are none is no member, or the place does not exist.
  if (parts.length === 0 && !isProject) return <NotAllowed />;
  return (
    <>
      <Head title={project ?? parent ?? t('overview')} text={about} />
      {tenant === 'organization' && may('ProjectGrant:Query') ? <Offers scope={{ tenant, id }} /> : null}
      {parts.length === 0 ? (
        <Empty icon="lock" title={t('throughApps')} text={t('throughAppsText')}>
          <NavigationLink to={pathOf(place, 'decisions')}>{t('decisions')}</NavigationLink>
        </Empty>
      ) : null}
      <div className="counts">
        {parts.map((part) => (
          <Count key={part.area} part={part} to={pathOf(place, part.area)} />
        ))}
      </div>
      <div className="panels">
        {parts.slice(0, 2).map((part) => (
          <Latest key={part.area} part={part} to={pathOf(place, part.area)} />
        ))}
        {may('Permission:Query') ? <DecisionsOverTime scope={scope} /> : null}
        {isProject && may('ProjectApp:Query') ? <SignInsOverTime scope={{ tenant, id }} /> : null}
      </div>
      {tenant === 'organization' ? <Structure name={parent ?? ''} scope={{ tenant, id }} /> : null}
    </>
  );

  function partsOf(scope: Scope): Part[] {
    const newest = (limit: number) => ({ limit, sortField: 'createdAt', sortOrder: 'desc' }) as const;
    const { tenant, id } = scope;
    const projects: Part = {
      area: 'projects',
      label: 'projects',
      icon: 'folder',
      needs: 'Project:Query',
      load: (limit) => tessera.listProjects({ scope: parentScopeOf(place), ...newest(limit) }),
    };
    const roles: Part = {
      area: 'roles',
      label: 'roles',
      icon: 'shield',
      needs: 'Role:Query',
      load: (limit) => tessera.listRoles({ scope, ...newest(limit) }),
    };
    if (tenant === 'account') return [projects];
    if (tenant === 'organization') {
      const members: Part = {
        area: 'members',
        label: 'members',
        icon: 'people',
        needs: 'OrganizationMember:Query',
        load: async (limit) => {
          const scope = { tenant, id } as const;
          const [page, open] = await Promise.all([
            tessera.listOrganizationMembers({ scope, ...newest(limit) }),
            tessera.listOrganizationMembers({ scope, status: 'pending', limit: 1 }),
          ]);
          const items = page.items.map(({ id, name, email, type, createdAt }) => {
            const note = type === 'invitation' ? t('invited') : name === null ? undefined : (email ?? undefined);
            return { id, name: name ?? email, note, createdAt };
          });
          const countNote = open.totalCount === 0 ? undefined : t('openInvitationsCount', { count: count(open.totalCount) });
          return { items, totalCount: page.totalCount - open.totalCount, countNote };
        },
      };
      return [members, projects, roles];
    }
    const inProject = { tenant, id } as const;
    return [
      {
        area: 'people',
        label: 'people',
        icon: 'people',
        needs: 'User:Query',
        load: async (limit) => {
          const { items, totalCount } = await listPeople({ scope: inProject, ...newest(limit) }, rights);
          return { items: items.map((person) => ({ ...person, note: signInText(person) })), totalCount };
        },
      },
      {
        area: 'resources',
        label: 'resources',
        icon: 'box',
        needs: 'Resource:Query',
        load: (limit) => tessera.listResources({ scope: inProject, isBuiltIn: false, ...newest(limit) }),
      },
      roles,
      {
        area: 'keys',
        label: 'apiKeys',
        icon: 'key',
        needs: 'ApiKey:Query',
        load: (limit) => tessera.listApiKeys({ scope: inProject, ...newest(limit) }),
      },
      {
        area: 'apps',
        label: 'apps',
        icon: 'app',
        needs: 'ProjectApp:Query',
        load: (limit) => tessera.listProjectApps({ scope: inProject, ...newest(limit) }),
      },
    ];
  }
}

type PartProps = { readonly part: Part; readonly to: string };

function useLatest({ area, load }: Part) {
  const place = usePlaceHere();
  return useQuery({ queryKey: ['console', 'latest', place, area], queryFn: () => load(5) });
}

function Count({ part, to }: PartProps) {
  const { t, count } = useTexts();
  const { data } = useLatest(part);
  return (
    <NavigationLink to={to} className="count" underline="never">
      <Icon name={part.icon} />
      <strong>{data === undefined ? '–' : count(data.totalCount)}</strong>
      <span>{t(part.label)}</span>
      {data?.countNote === undefined ? null : <small>{data.countNote}</small>}
    </NavigationLink>
  );
}

function Latest({ part, to }: PartProps) {
  const { t, day } = useTexts();
  const { data, error, refetch } = useLatest(part);
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('latest', { what: t(part.label) })}
        </Title>
        <NavigationLink to={to} size="sm" aria-label={`${t('showAll')}: ${t(part.label)}`}>
          {t('showAll')}
        </NavigationLink>
      </div>
      {error ? <Retry error={error} again={() => void refetch()} /> : null}
      {data?.items.length === 0 ? <Text c="dimmed">{t('nothingYet')}</Text> : null}
      <ul className="list">
        {data?.items.map(({ id, name, note, createdAt }) => (
          <li key={id}>
            <span className="wrap">{note === undefined ? (name ?? '–') : `${name ?? '–'} (${note})`}</span>
            <Text span c="dimmed" size="sm">
              {day(createdAt)}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
