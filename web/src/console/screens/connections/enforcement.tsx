import { Button, MultiSelect, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice, Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import type { Connection } from './connection.ts';

/** Owners of the organization, by name. */
function useOwners() {
  const scope = useOrganization();
  const { may } = useRights();
  const { data = [] } = useQuery({
    queryKey: ['console', 'owners', scope.id],
    queryFn: async () => {
      const members = await Array.fromAsync(tessera.listOrganizationMembers({ scope, limit: 100 }));
      return members.flatMap(({ user, role, email }) =>
        user !== null && role?.rank === 1 ? [{ value: user.id, label: email === null ? user.name : `${user.name} (${email})` }] : [],
      );
    },
    enabled: may('OrganizationMember:Query'),
  });
  return data;
}

/** Whether members have to come by it, and who could not come any more. */
export function Enforcement({ connection }: { readonly connection: Connection }) {
  const { t, when, count } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const dialog = useDialog();
  const owners = useOwners();
  const { id, isEnforced, breakGlassUserIds, enforcedAt, updatedAt } = connection;
  const found = useQuery({
    queryKey: ['console', 'enforcement', scope.id, id, updatedAt],
    queryFn: () => tessera.getConnectionEnforcement({ scope, id }),
  });
  const named = breakGlassUserIds.map((userId) => owners.find(({ value }) => value === userId)?.label ?? '…');
  const mayChange = may('Connection:Update');
  return (
    <section className="panel wide">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('enforcement')}
        </Title>
        {mayChange ? (
          <div className="actions">
            <Button size="compact-sm" variant="default" onClick={() => dialog.open('owners')}>
              {t('nameOwners')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              disabled={!isEnforced && found.data !== undefined && found.data.obstacles.length > 0}
              onClick={() => dialog.open('enforce')}
            >
              {t(isEnforced ? 'endEnforcement' : 'enforce')}
            </Button>
          </div>
        ) : null}
      </div>
      <Text c="dimmed">{isEnforced ? t('enforcedSince', { when: when(enforcedAt) }) : t('enforcementText')}</Text>
      <Text size="sm">
        {t('nameOwners')}: {named.join(', ') || t('nobodyNamed')}
      </Text>
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data === undefined ? null : (
        <>
          {isEnforced || found.data.obstacles.length === 0 ? null : (
            <>
              <Text size="sm" fw={600} id="missing-for-enforcement">
                {t('missingForEnforcement')}
              </Text>
              <ul aria-labelledby="missing-for-enforcement">
                {found.data.obstacles.map((obstacle) => (
                  <li key={obstacle}>{t(`obstacle_${obstacle}`)}</li>
                ))}
              </ul>
            </>
          )}
          <Text size="sm">
            {t('shutOutCounts', {
              members: count(found.data.members),
              linked: count(found.data.linked),
              count: count(found.data.shutOutCount),
            })}
          </Text>
          {found.data.shutOut.length === 0 ? null : (
            <Table aria-label={t('shutOut')}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('shutOut')}</Table.Th>
                  <Table.Th>{t('whatTheyDo')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.data.shutOut.map(({ userId, name, email, reason }) => (
                  <Table.Tr key={userId}>
                    <Table.Td className="wrap">
                      {name} <small>{email}</small>
                    </Table.Td>
                    <Table.Td>{t(`shutOut_${reason}`)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          {found.data.isComplete ? null : <Notice>{t('notAllLookedAt')}</Notice>}
        </>
      )}
    </section>
  );
}

type DialogProps = { readonly connection: Connection; readonly close: () => void };

/** Switched on with the name typed, because people lose their way in. */
export function Enforce({ connection, close }: DialogProps) {
  const { t, count } = useTexts();
  const scope = useOrganization();
  const { id, name, isEnforced, updatedAt } = connection;
  const { data } = useQuery({
    queryKey: ['console', 'enforcement', scope.id, id, updatedAt],
    queryFn: () => tessera.getConnectionEnforcement({ scope, id }),
  });
  return (
    <Confirm
      title={t(isEnforced ? 'endEnforcement' : 'enforce')}
      text={isEnforced ? t('endEnforcementText') : t('enforceText', { count: count(data?.shutOutCount ?? 0) })}
      button={t(isEnforced ? 'endEnforcement' : 'enforce')}
      {...(isEnforced ? {} : { name })}
      isHarmless={isEnforced}
      said={t(isEnforced ? 'membersComeFreely' : 'memberHaveToCome')}
      run={() => tessera.updateConnection({ scope, id, isEnforced: !isEnforced }, { ifMatch: connection })}
      close={close}
    />
  );
}

/** Owners who come otherwise in an emergency. */
export function BreakGlass({ connection, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const owners = useOwners();
  const [chosen, setChosen] = useState<string[]>([...connection.breakGlassUserIds]);
  return (
    <Confirm
      title={t('nameOwners')}
      text={t('nameOwnersText')}
      button={t('save')}
      isHarmless
      said={t('ownersNamed')}
      run={() => tessera.updateConnection({ scope, id: connection.id, breakGlassUserIds: chosen }, { ifMatch: connection })}
      close={close}
    >
      <MultiSelect
        label={t('nameOwners')}
        data={owners}
        value={chosen}
        onChange={setChosen}
        maxValues={5}
        data-autofocus
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      {connection.isEnforced && chosen.length === 0 ? <Problem>{t('nobodyNamed')}</Problem> : null}
    </Confirm>
  );
}
