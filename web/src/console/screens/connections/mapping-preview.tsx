import { Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { type Connection, type Line, linesOf, type Target, useTests } from './connection.ts';
import { nameOf } from './tests.tsx';

type Props = { readonly connection: Connection; readonly targets: readonly Target[]; readonly lines: readonly Line[] };
type Preview = Output<'previewRoleMapping'>;

/** Who of the last sign-ins would gain and lose which role at the next one. */
export function PreviewOfSignIns({ connection, targets, lines }: Props) {
  const { t } = useTexts();
  const scope = useOrganization();
  const roleMapping = lines.filter(({ claim, value }) => claim !== '' && value !== '');
  const { data, error } = useQuery({
    queryKey: ['console', 'preview of role mapping', scope.id, connection.id, roleMapping],
    queryFn: () => tessera.previewRoleMapping({ scope, id: connection.id, roleMapping }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <section aria-live="polite">
      <Title order={3} size="h5">
        {t('previewOfSignIns')}
      </Title>
      {error ? <Problem>{messageOf(error)}</Problem> : null}
      {error || data === undefined ? null : <Changes preview={data} targets={targets} />}
    </section>
  );
}

function Changes({ preview, targets }: { readonly preview: Preview; readonly targets: readonly Target[] }) {
  const { t, count, when } = useTexts();
  const { signInCount, gainCount, lossCount, unknownClaims, people } = preview;
  const named = (roles: Preview['people'][number]['gains']) => roles.map((role) => nameOf(role, targets)).join(', ') || '–';
  if (signInCount === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('noSignInsToPreview')}
      </Text>
    );
  const changed = people.filter(({ gains, losses, isCertain }) => gains.length + losses.length > 0 || !isCertain);
  return (
    <>
      <Text size="sm">
        {gainCount + lossCount === 0
          ? t('signInsUnchanged', { count: count(signInCount) })
          : t('signInsChanged', { count: count(signInCount), gains: count(gainCount), losses: count(lossCount) })}
      </Text>
      {unknownClaims.length === 0 ? null : <Text size="sm">{t('claimsNotKept', { claims: unknownClaims.join(', ') })}</Text>}
      {changed.length === 0 ? null : (
        <Table aria-label={t('previewOfSignIns')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('nameLabel')}</Table.Th>
              <Table.Th>{t('whatItSaid')}</Table.Th>
              <Table.Th>{t('gains')}</Table.Th>
              <Table.Th>{t('loses')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changed.map(({ userId, name, email, signedInAt, gains, losses, claims, isCertain }) => (
              <Table.Tr key={userId}>
                <Table.Td className="wrap">
                  {name} <small>{email}</small> <small>{when(signedInAt)}</small>
                </Table.Td>
                <Table.Td className="wrap">
                  {claims.map((claim) => `${claim.name} = ${claim.values.join(', ')}${claim.isCut ? ' …' : ''}`).join('; ') || '–'}
                  {isCertain ? null : <small> {t('tooManyValues')}</small>}
                </Table.Td>
                <Table.Td>{named(gains)}</Table.Td>
                <Table.Td>{named(losses)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}

/** What the lines make of the tests of the last day. */
export function PreviewOfTests({ connection, targets, lines }: Props) {
  const { t, when } = useTexts();
  const { data = [] } = useTests(connection.id);
  const tests = data.filter(({ became }) => became !== null);
  const fallback = nameOf({ roleId: connection.defaultRoleId, grantId: null }, targets);
  return (
    <section aria-live="polite">
      <Title order={3} size="h5">
        {t('previewOfMapping')}
      </Title>
      {tests.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noTestsToPreview')}
        </Text>
      ) : (
        <Table aria-label={t('previewOfMapping')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('whoTested')}</Table.Th>
              <Table.Th>{t('roles')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tests.map(({ id, createdAt, became, came }) => {
              const applied = linesOf(lines, came);
              const named = applied.map((line) => nameOf(line, targets));
              const isDefault = !applied.some(({ grantId }) => grantId === null);
              return (
                <Table.Tr key={id}>
                  <Table.Td className="wrap">
                    {became?.email ?? became?.subject} <small>{when(createdAt)}</small>
                  </Table.Td>
                  <Table.Td>{[...(isDefault ? [t('byDefault', { role: fallback })] : []), ...named].join(', ')}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
