import './pictures.css';
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import type { ReactNode } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { Icon, type IconName } from '../../base/icon.tsx';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { type OrganizationScope, pathOf, usePlaceHere } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { type Key, useTexts } from '../../base/words.ts';
import { isForMachines } from '../form/machine-role.ts';

type Leaf = { readonly id: string; readonly name: string; readonly more?: string | undefined; readonly to?: string };
type Branch = { readonly leaves: readonly Leaf[]; readonly totalCount: number };

const shown = 6;

/** An organization at one look: its projects, members with their roles, and roles. */
export function Structure({ name, scope }: { readonly name: string; readonly scope: OrganizationScope }) {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const projects = async (): Promise<Branch> => {
    const { items, totalCount } = await tessera.listProjects({ scope, limit: shown, sortField: 'name' });
    return { totalCount, leaves: items.map(({ id, name: leaf }) => ({ id, name: leaf, to: pathOf({ ...place, projectId: id }) })) };
  };
  const members = async (): Promise<Branch> => {
    const { items, totalCount } = await tessera.listOrganizationMembers({ scope, limit: shown, sortField: 'name' });
    return { totalCount, leaves: items.map(({ id, name: leaf, email, role }) => ({ id, name: leaf ?? email ?? '–', more: role?.name })) };
  };
  const aboutRole = ({ isBuiltIn, groups = [] }: Item<'listRoles'>) =>
    isBuiltIn
      ? t('builtIn')
      : groups
          .filter(({ roleId }) => roleId === null)
          .map((group) => group.name)
          .join(', ');
  const roles = async (): Promise<Branch> => {
    const { items, totalCount } = await tessera.listRoles({ scope, limit: shown, relations: ['groups'] });
    return {
      totalCount,
      leaves: items.map((role) => ({
        id: role.id,
        name: role.name,
        to: pathOf(place, `roles/${role.id}`),
        more: isForMachines(role) ? t('forServiceAccounts') : aboutRole(role),
      })),
    };
  };
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('structure')}
      </Title>
      <div className="structure">
        <span className="structure-root">
          <Icon name="people" /> {name}
        </span>
        <ul>
          {may('Project:Query') ? <BranchOf area="projects" label="projects" icon="folder" load={projects} /> : null}
          {may('OrganizationMember:Query') ? <BranchOf area="members" label="members" icon="person" load={members} /> : null}
          {may('Role:Query') ? <BranchOf area="roles" label="roles" icon="shield" load={roles} /> : null}
        </ul>
      </div>
    </section>
  );
}

type BranchProps = { readonly area: string; readonly label: Key; readonly icon: IconName; readonly load: () => Promise<Branch> };

function BranchOf({ area, label, icon, load }: BranchProps) {
  const { t, count } = useTexts();
  const place = usePlaceHere();
  const { data, error, refetch, isPending } = useQuery({ queryKey: ['console', 'structure', place, area], queryFn: load });
  const rest = (data?.totalCount ?? 0) - (data?.leaves.length ?? 0);
  let inside: ReactNode = null;
  if (isPending) inside = <Waiting />;
  else if (error) inside = <Retry error={error} again={() => void refetch()} />;
  else if (data.leaves.length === 0) inside = <Text c="dimmed">{t('nothingYet')}</Text>;
  else
    inside = (
      <ul>
        {data.leaves.map(({ id, name, more, to }) => (
          <li key={id}>
            {to === undefined ? <span>{name}</span> : <NavigationLink to={to}>{name}</NavigationLink>}
            {more ? <small>{more}</small> : null}
          </li>
        ))}
        {rest > 0 ? (
          <li>
            <NavigationLink to={pathOf(place, area)}>{t('andMore', { count: count(rest) })}</NavigationLink>
          </li>
        ) : null}
      </ul>
    );
  return (
    <li>
      <span className="structure-branch">
        <Icon name={icon} size={16} />
        <strong>{t(label)}</strong>
        {data === undefined ? null : <small>{count(data.totalCount)}</small>}
      </span>
      {inside}
    </li>
  );
}
