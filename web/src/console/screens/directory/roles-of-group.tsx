import { Alert, MultiSelect, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import type { OrganizationScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { useDraft } from '../../parts/form/use-draft.ts';

type Group = Item<'listDirectoryGroups'>;
type Role = Item<'listRoles'>;
export type Place = OrganizationScope | { readonly tenant: 'organizationProject'; readonly id: string };

type Props = { readonly group: Group; readonly scope: Place; readonly roles: readonly Role[]; readonly close: () => void };
type Fields = { readonly roleIds: string[] };

/** Chooses the roles that a group gives, and shows before who gains and loses what. */
export function RolesOfGroup({ group, scope, roles, close }: Props) {
  const { t } = useTexts();
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const fieldsOf = ({ roleIds }: Group): Fields => ({ roleIds: [...roleIds] });
  const draft = useDraft<Fields, Group>({
    initial: fieldsOf(group),
    edits: {
      thing: group,
      show: fieldsOf,
      read: async () => (await tessera.listDirectoryGroups({ scope, ids: [group.id] })).items[0],
    },
    names: roles.map(({ id, name }) => ({ value: id, label: name })),
    send: ({ roleIds }, call) => tessera.updateDirectoryGroup({ id: group.id, scope, roleIds }, call),
    done: close,
  });
  const waiting = group.waitingRoleIds.map((id) => names.get(id) ?? id).join(', ');
  const data = roles
    .filter((role) => (role.rank !== 1 && !isForMachines(role)) || group.roleIds.includes(role.id))
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormDialog title={t('groupRolesOf', { name: group.displayName })} draft={draft} submit={t('save')} close={close} size="lg">
      {waiting === '' ? null : <Alert color="yellow">{t('groupRoleWaits', { roles: waiting })}</Alert>}
      <MultiSelect
        {...draft.field('roleIds')}
        label={t('roles')}
        description={t('groupRolesHelp')}
        data={data}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      <Preview group={group} scope={scope} roleIds={draft.values.roleIds} names={names} />
    </FormDialog>
  );
}

type PreviewProps = {
  readonly group: Group;
  readonly scope: Place;
  readonly roleIds: readonly string[];
  readonly names: ReadonlyMap<string, string>;
};

function Preview({ group, scope, roleIds, names }: PreviewProps) {
  const { t, count } = useTexts();
  const wanted = roleIds.toSorted();
  const isSame = wanted.join() === group.roleIds.toSorted().join();
  const { data, error } = useQuery({
    queryKey: ['console', 'preview of directory group', scope.id, group.id, wanted],
    queryFn: () => tessera.previewDirectoryGroup({ id: group.id, scope, roleIds: wanted }),
    enabled: !isSame,
    retry: false,
  });
  if (isSame) return null;
  if (error) return <Problem>{messageOf(error)}</Problem>;
  if (data === undefined) return null;
  const { gainCount, lossCount, seatsLeft, people } = data;
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? '…').join(', ') || '–';
  return (
    <section aria-live="polite">
      <Title order={3} size="h5">
        {t('groupPreview')}
      </Title>
      <Text size="sm">
        {gainCount + lossCount === 0
          ? t('groupPreviewNone')
          : t('groupPreviewCounts', { gains: count(gainCount), losses: count(lossCount) })}
      </Text>
      {seatsLeft !== null && gainCount > seatsLeft ? (
        <Text size="sm" c="red">
          {t('groupPreviewSeats', { count: count(seatsLeft) })}
        </Text>
      ) : null}
      {people.length === 0 ? null : (
        <Table aria-label={t('groupPreviewPeople')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('nameLabel')}</Table.Th>
              <Table.Th>{t('gains')}</Table.Th>
              <Table.Th>{t('loses')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {people.map(({ userId, name, gains, losses }) => (
              <Table.Tr key={userId}>
                <Table.Td>{name === '' ? userId : name}</Table.Td>
                <Table.Td>{named(gains)}</Table.Td>
                <Table.Td>{named(losses)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {people.length === 100 ? (
        <Text size="sm" c="dimmed">
          {t('groupPreviewMore')}
        </Text>
      ) : null}
    </section>
  );
}
