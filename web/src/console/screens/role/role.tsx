import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { Icon } from '../../base/icon.tsx';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { PermissionForm } from '../../parts/condition/permission-form.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { listPeople, usePersonLabel } from '../../parts/person/people.ts';
import { RoleEditor } from './editor.tsx';
import { Leaf } from './leaf.tsx';
import { readPicture } from './picture.ts';
import type { Group, Picture } from './plan.ts';
import { SharedNote } from './shared-note.tsx';

const mostNamed = 25;

/** The whole of a role in one picture: its groups, their permissions, and under which condition. */
export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const dialog = useDialog();
  const { may } = useRights();
  const { roleId = '' } = useParams({ strict: false }) as { readonly roleId?: string };
  const found = useQuery({
    queryKey: ['console', 'role', scope, roleId],
    queryFn: async () => {
      const [picture, resources] = await Promise.all([
        readPicture(scope, roleId),
        Array.fromAsync(tessera.listResources({ scope, limit: 100 })),
      ]);
      return { picture, resourceNames: new Map(resources.map(({ id, name }) => [id, name])) };
    },
    refetchOnMount: 'always',
  });
  // The editor begins with what stands now: a group that was made meanwhile is offered.
  if (found.isPending || (dialog.name === 'edit' && !found.isFetchedAfterMount)) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  const { picture, resourceNames } = found.data;
  if (picture === undefined) return <Missing />;
  const { role } = picture;
  const resourceName = (id: string) => resourceNames.get(id) ?? '–';
  const mayEdit = may('Role:Update') && !role.isBuiltIn && !role.isShared;
  const isEditing = dialog.name === 'edit' && mayEdit;
  return (
    <>
      <NavigationLink to={pathOf(place, 'roles')}>{t('allRoles')}</NavigationLink>
      <Head title={role.name} text={role.description ?? t('rolePicture')}>
        {mayEdit && !isEditing ? <Button onClick={() => dialog.open('edit')}>{t('edit')}</Button> : null}
      </Head>
      {role.isBuiltIn ? <Text mb="md">{t('builtInRoleText')}</Text> : null}
      {isForMachines(role) ? <Text mb="md">{t('machineRoleText')}</Text> : null}
      {role.isShared ? <SharedNote /> : null}
      {role.isGrantable ? null : <Text mb="md">{t('notGrantable')}</Text>}
      {isEditing ? (
        <RoleEditor key={role.id} picture={picture} resourceName={resourceName} close={dialog.close} />
      ) : (
        <Tree picture={picture} resourceName={resourceName} open={(id) => dialog.open('permission', id)} />
      )}
      {isEditing ? null : <Holders roleId={roleId} />}
      {dialog.name === 'permission' ? <PermissionDialog picture={picture} id={dialog.id} close={dialog.close} /> : null}
    </>
  );
}

type TreeProps = {
  readonly picture: Picture;
  readonly resourceName: (id: string) => string;
  readonly open: (permissionId: string) => void;
};

function Tree({ picture: { role, groupIds, groups }, resourceName, open }: TreeProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const own = groups.filter(({ id }) => groupIds.includes(id));
  if (own.length === 0) return role.isBuiltIn ? null : <Text c="dimmed">{t('roleWithoutGroups')}</Text>;
  return (
    <ul className="tree">
      {own.map(({ id, name, permissions }: Group) => (
        <li key={id}>
          <Title order={2} size="h4">
            <Icon name="stack" /> {name}
          </Title>
          <ul>
            {permissions.map((permission) => (
              <Leaf key={permission.id} permission={permission} resource={resourceName(permission.resourceId)}>
                {may('Permission:Update') && !permission.isShared ? (
                  <button type="button" className="as-link" onClick={() => open(permission.id)}>
                    {t('edit')} <span className="unseen">{permission.name}</span>
                  </button>
                ) : null}
              </Leaf>
            ))}
            {permissions.length === 0 ? <li className="leaf">{t('nothingYet')}</li> : null}
          </ul>
        </li>
      ))}
    </ul>
  );
}

type DialogProps = { readonly picture: Picture; readonly id: string | undefined; readonly close: () => void };

/** The form of a permission with its condition, over the role that gives it. */
function PermissionDialog({ picture, id, close }: DialogProps) {
  const permission = picture.groups.flatMap(({ permissions }) => permissions).find((one) => one.id === id);
  return permission && !permission.isShared ? <PermissionForm permission={permission} close={close} /> : null;
}

function Holders({ roleId }: { readonly roleId: string }) {
  const { t, count } = useTexts();
  const scope = useRoleScope();
  const rights = useRights();
  const { may } = rights;
  const labelOf = usePersonLabel();
  const holders = useQuery({
    queryKey: ['console', 'role holders', scope, roleId],
    queryFn: async () => {
      const users = (await tessera.listRoles({ scope, ids: [roleId], relations: ['users'] })).items[0]?.users ?? [];
      const ids = users.slice(0, mostNamed).map(({ id }) => id);
      const people = ids.length === 0 ? [] : await peopleOf(ids);
      const labels = new Map(people.map((person) => [person.id, labelOf(person)]));
      return users.map(({ id, name }) => ({ id, label: labels.get(id) ?? name }));
    },
    enabled: may('User:Query'),
  });
  const peopleOf = async (ids: string[]) => (await listPeople({ scope, ids, limit: ids.length }, rights)).items;
  if (!may('User:Query') || holders.isPending) return null;
  const names = holders.data?.length ?? 0;
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('whoHasIt')}
      </Title>
      {holders.error ? (
        <Text>{t('tooManyHolders')}</Text>
      ) : (
        <Stack gap={4}>
          {holders.data.slice(0, mostNamed).map(({ id, label }) => (
            <Text key={id} className="wrap">
              {label}
            </Text>
          ))}
          {names === 0 ? <Text>{t('noHolders')}</Text> : null}
          {names > mostNamed ? <Text>{t('andMore', { count: count(names - mostNamed) })}</Text> : null}
        </Stack>
      )}
    </section>
  );
}
