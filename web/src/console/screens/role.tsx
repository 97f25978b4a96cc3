import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Item } from '@tessera/client';
import { Waiting } from '../../look/page.tsx';
import { tessera } from '../../session/tessera.ts';
import { Icon } from '../shell/icon.tsx';
import { NavigationLink } from '../shell/link.tsx';
import { pathOf, usePlaceHere, useRoleScope } from '../shell/scope.ts';
import { Head, Missing, Retry } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';

type Permission = Item<'listScopePermissions'>;

/** The whole of a role in one picture: its groups, their permissions, and under which condition. */
export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const { roleId = '' } = useParams({ strict: false }) as { readonly roleId?: string };
  const picture = useQuery({
    queryKey: ['console', 'role', scope, roleId],
    queryFn: async () => {
      const [{ items }, resources] = await Promise.all([
        tessera.listRoles({ scope, ids: [roleId], relations: ['groups', 'users'] }),
        Array.fromAsync(tessera.listResources({ scope, limit: 100 })),
      ]);
      const role = items[0];
      const ids = (role?.groups ?? []).map(({ id }) => id);
      const groups = ids.length === 0 ? [] : (await tessera.listGroups({ scope, ids, limit: 100, relations: ['permissions'] })).items;
      return { role, groups, resourceNames: new Map(resources.map(({ id, name }) => [id, name])) };
    },
  });
  if (picture.isPending) return <Waiting />;
  if (picture.error) return <Retry error={picture.error} again={() => void picture.refetch()} />;
  const { role, groups, resourceNames } = picture.data;
  if (role === undefined) return <Missing />;
  return (
    <>
      <Head title={role.name} text={role.description ?? t('rolePicture')}>
        <NavigationLink to={pathOf(place, 'roles')}>{t('allRoles')}</NavigationLink>
      </Head>
      {role.isBuiltIn ? <Text mb="md">{t('builtInRoleText')}</Text> : null}
      <ul className="tree">
        {groups.map(({ id, name, permissions = [] }) => (
          <li key={id}>
            <Title order={2} size="h4">
              <Icon name="stack" /> {name}
            </Title>
            <ul>
              {permissions.map((permission) => (
                <Leaf key={permission.id} permission={permission} resource={resourceNames.get(permission.resourceId) ?? '–'} />
              ))}
              {permissions.length === 0 ? <li className="leaf">{t('nothingYet')}</li> : null}
            </ul>
          </li>
        ))}
      </ul>
      {groups.length === 0 && !role.isBuiltIn ? <Text c="dimmed">{t('roleWithoutGroups')}</Text> : null}
      <section className="panel">
        <Title order={2} size="h4">
          {t('whoHasIt')}
        </Title>
        <Text>{(role.users ?? []).map(({ name }) => name).join(', ') || t('nothingYet')}</Text>
      </section>
    </>
  );
}

type LeafProps = { readonly permission: Pick<Permission, 'name' | 'action' | 'condition'>; readonly resource: string };

function Leaf({ permission: { name, action, condition }, resource }: LeafProps) {
  const { t } = useTexts();
  return (
    <li className="leaf">
      <strong>{name}</strong>
      <span>
        <code>{action}</code> · {resource}
      </span>
      <span>{condition === null ? t('always') : <code>{JSON.stringify(condition)}</code>}</span>
    </li>
  );
}
