import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { useIsProduct } from '../../base/project.ts';
import { useRights } from '../../base/rights.ts';
import { scopeOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { ChangeList } from '../../parts/form/difference.tsx';
import type { RoleScope } from './picture.ts';
import { isEmpty, isOfRole, type Picture, type Plan } from './plan.ts';

const mostNamed = 5;

type ChangesProps = {
  readonly scope: RoleScope;
  readonly picture: Picture;
  readonly plan: Plan;
  readonly nameOf: (id: string) => string;
};

/** What saving adds and takes away, by name, and for how many people. */
export function Changes({ scope, picture, plan, nameOf }: ChangesProps) {
  const { t } = useTexts();
  const { role } = picture;
  if (isEmpty(plan)) return <Text c="dimmed">{t('noChange')}</Text>;
  const ofTicks = plan.ticks && { id: 'ticks', label: t('roleGives'), change: plan.ticks };
  const ofRole = plan.ownGroups && { id: role.id, label: t('groupsOfRole', { name: role.name }), change: plan.ownGroups };
  const ofGroups = plan.groups.map(({ group: { id, name }, change }) => ({ id, label: t('permissionsOfGroup', { name }), change }));
  const lists = [...(ofTicks ? [ofTicks] : []), ...(ofRole ? [ofRole] : []), ...ofGroups];
  return (
    <section aria-label={t('difference')} className="difference panel">
      <strong>{t('difference')}</strong>
      {plan.name === undefined ? null : <Line label={t('nameLabel')} before={role.name} after={plan.name} />}
      {plan.description === undefined ? null : (
        <Line label={t('description')} before={role.description ?? '–'} after={plan.description || '–'} />
      )}
      {plan.isGrantable === undefined ? null : (
        <Line label={t('isGrantable')} before={t(plan.isGrantable ? 'no' : 'yes')} after={t(plan.isGrantable ? 'yes' : 'no')} />
      )}
      {lists.map(({ id, label, change }) => (
        <div key={id}>
          <span>{label}</span>
          <ChangeList label={label} change={change} nameOf={nameOf} />
        </div>
      ))}
      <Concerned scope={scope} roleId={role.id} groupIds={plan.groups.map(({ group }) => group.id)} isAboutRole={isOfRole(plan)} />
      <ConcernedCustomers />
    </section>
  );
}

function Line({ label, before, after }: { readonly label: string; readonly before: string; readonly after: string }) {
  return (
    <p>
      {label}: <del>{before}</del> → <ins>{after}</ins>
    </p>
  );
}

/** People of customers are not listed here, but a change of the role is theirs too. */
function ConcernedCustomers() {
  const { t, count } = useTexts();
  const place = usePlaceHere();
  const scope = scopeOf(place);
  const { may } = useRights();
  const isProduct = useIsProduct();
  const { data } = useQuery({
    queryKey: ['console', 'active customers', scope],
    queryFn: () => tessera.listProjectGrants({ scope: { tenant: 'organizationProject', id: scope.id }, status: 'active', limit: 1 }),
    enabled: isProduct && place.projectId !== undefined && may('ProjectGrant:Query'),
  });
  if (data === undefined || data.totalCount === 0) return null;
  return <Text className="wrap">{t('concernsCustomers', { count: count(data.totalCount) })}</Text>;
}

type ConcernedProps = {
  readonly scope: RoleScope;
  readonly roleId: string;
  readonly groupIds: readonly string[];
  readonly isAboutRole: boolean;
};

/** The people whom the change affects: of a changed group, all people with one of its roles. */
function Concerned({ scope, roleId, groupIds, isAboutRole }: ConcernedProps) {
  const { t, count } = useTexts();
  const { may } = useRights();
  const people = useQuery({
    queryKey: ['console', 'concerned', scope, isAboutRole ? roleId : '', groupIds],
    queryFn: async () => {
      const [roles, groups] = await Promise.all([
        isAboutRole ? tessera.listRoles({ scope, ids: [roleId], relations: ['users'] }) : undefined,
        groupIds.length === 0 ? undefined : Array.fromAsync(tessera.listGroups({ scope, ids: [...groupIds], relations: ['users'] })),
      ]);
      const users = [...(roles?.items ?? []), ...(groups ?? [])].flatMap((one) => one.users ?? []);
      return [...new Map(users.map(({ id, name }) => [id, name])).values()];
    },
    enabled: may('User:Query'),
  });
  const names = people.data ?? [];
  const named = names.slice(0, mostNamed).join(', ');
  const said = () => {
    // So many that the server does not list them at once.
    if (people.error) return t('concernsMany');
    if (names.length === 0) return t('concernsNone');
    return t(names.length === 1 ? 'concernsOne' : 'concerns', { count: count(names.length), names: named });
  };
  if (!may('User:Query')) return null;
  // Its line stands before the answer is there, so that the buttons below stay where they are.
  return (
    <Text role="status" className="wrap">
      {people.isPending ? '\u00a0' : said()}
      {names.length > mostNamed ? ' …' : null}
    </Text>
  );
}
