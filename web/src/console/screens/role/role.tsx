import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { builtInRoleInWords } from '../../base/built-in-words.ts';
import { Icon } from '../../base/icon.tsx';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { PermissionForm } from '../../parts/condition/permission-form.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { RoleEditor } from './editor.tsx';
import { BuiltInGiven, GivenTable } from './given-table.tsx';
import { Holders } from './holders.tsx';
import { Leaf } from './leaf.tsx';
import { readPicture } from './picture.ts';
import type { Group, Picture } from './plan.ts';
import { SharedNote } from './shared-note.tsx';
import { Sources } from './tick-table.tsx';
import { keyOf, type Resource, sourcesOf } from './ticks.ts';

/** The whole of a role: what it gives of its own, its groups, and under which conditions. */
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
      return { picture, resources };
    },
    refetchOnMount: 'always',
  });
  // The editor begins with what stands now: a group that was made meanwhile is offered.
  if (found.isPending || (dialog.name === 'edit' && !found.isFetchedAfterMount)) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  const { picture, resources } = found.data;
  if (picture === undefined) return <Missing />;
  const { role } = picture;
  const resourceName = (id: string) => resources.find((resource) => resource.id === id)?.name ?? '–';
  const mayEdit = may('Role:Update') && !role.isBuiltIn && !role.isShared;
  const isEditing = dialog.name === 'edit' && mayEdit;
  return (
    <>
      <NavigationLink to={pathOf(place, 'roles')}>{t('allRoles')}</NavigationLink>
      <Head title={role.name} text={role.description ?? builtInRoleInWords(role) ?? t('rolePicture')}>
        {mayEdit && !isEditing ? <Button onClick={() => dialog.open('edit')}>{t('edit')}</Button> : null}
      </Head>
      {role.isBuiltIn ? <Text mb="md">{t('builtInRoleText')}</Text> : null}
      {isForMachines(role) ? <Text mb="md">{t('machineRoleText')}</Text> : null}
      {role.isShared ? <SharedNote /> : null}
      {role.isGrantable ? null : <Text mb="md">{t('notGrantable')}</Text>}
      {isEditing ? (
        <RoleEditor key={role.id} picture={picture} resourceName={resourceName} close={dialog.close} />
      ) : (
        <>
          {role.isBuiltIn ? <BuiltInGiven name={role.name} /> : null}
          <OwnGiven picture={picture} resources={resources} open={(id) => dialog.open('permission', id)} />
          <Tree picture={picture} resourceName={resourceName} open={(id) => dialog.open('permission', id)} />
        </>
      )}
      {isEditing ? null : <Holders role={role} />}
      {dialog.name === 'permission' ? <PermissionDialog picture={picture} id={dialog.id} close={dialog.close} /> : null}
    </>
  );
}

type OwnGivenProps = Pick<TreeProps, 'picture' | 'open'> & { readonly resources: readonly Resource[] };

/** What is ticked in the role itself. A condition can be changed here. */
function OwnGiven({ picture: { own }, resources, open }: OwnGivenProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const sources = sourcesOf(own?.permissions ?? [], []);
  const rows = resources.flatMap((resource) => {
    const given = [...sources].filter(([, [first]]) => first?.permission.resourceId === resource.id);
    const actions = given.map(([, own]) => ({
      action: own[0]?.permission.action ?? '',
      note: own.map(({ permission }) =>
        permission.condition === null ? null : (
          <span key={permission.id}>
            <Sources sources={own.filter((one) => keyOf(one.permission) === keyOf(permission))} />
            {may('Permission:Update') && !permission.isShared ? (
              <button type="button" className="as-link" onClick={() => open(permission.id)}>
                {t('edit')} <span className="unseen">{permission.name}</span>
              </button>
            ) : null}
          </span>
        ),
      ),
    }));
    return actions.length === 0 ? [] : [{ id: resource.id, resource, actions }];
  });
  return rows.length === 0 ? null : <GivenTable label={t('roleGives')} rows={rows} />;
}

type TreeProps = {
  readonly picture: Picture;
  readonly resourceName: (id: string) => string;
  readonly open: (permissionId: string) => void;
};

function Tree({ picture: { role, own: given, groupIds, groups }, resourceName, open }: TreeProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const own = groups.filter(({ id }) => groupIds.includes(id));
  const isNothing = !role.isBuiltIn && (given?.permissions ?? []).length === 0;
  if (own.length === 0)
    return isNothing ? (
      <Text c="dimmed" mb="md">
        {t('roleWithoutGroups')}
      </Text>
    ) : null;
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
  const groups = [...(picture.own ? [picture.own] : []), ...picture.groups];
  const permission = groups.flatMap(({ permissions }) => permissions).find((one) => one.id === id);
  return permission && !permission.isShared ? <PermissionForm permission={permission} close={close} /> : null;
}
