import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Notice, Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useAddress } from '../../base/address.ts';
import { useOrganization } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Facts } from '../../parts/list/facts.tsx';
import { type Connection, type Target, type Test, useTests } from './connection.ts';
import { TestStatus } from './status.tsx';

type Props = { readonly connection: Connection; readonly targets: readonly Target[] };

/** A round trip that signs nobody in, and what the last ones showed. */
export function Tests({ connection, targets }: Props) {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const { search, change } = useAddress();
  const found = useTests(connection.id);
  const start = useMutation({
    mutationFn: () => tessera.startConnectionTest({ scope, id: connection.id }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const tests = found.data ?? [];
  const shown = tests.find(({ id }) => id === search['test']) ?? tests[0];
  const isReady = connection.type === 'oidc' || connection.saml !== null;
  return (
    <section className="panel wide">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('testOfConnection')}
        </Title>
        <Button
          size="compact-sm"
          variant={connection.testedAt === null ? 'filled' : 'default'}
          disabled={!isReady}
          loading={start.isPending || start.isSuccess}
          onClick={() => start.mutate()}
        >
          {t('testConnection')}
        </Button>
      </div>
      <Text c="dimmed">{t(isReady ? 'testOfConnectionText' : 'metadataBeforeTest')}</Text>
      {start.error ? <Problem>{messageOf(start.error)}</Problem> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {shown === undefined ? null : <Shown test={shown} targets={targets} />}
      {tests.length < 2 ? null : (
        <div>
          <Title order={3} size="h5">
            {t('lastTests')}
          </Title>
          <ul className="list" aria-label={t('lastTests')}>
            {tests.map((test) => (
              <li key={test.id}>
                <button type="button" className="as-link" aria-pressed={test.id === shown?.id} onClick={() => change({ test: test.id })}>
                  {when(test.createdAt)}
                </button>
                <TestStatus status={test.status} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Shown({ test, targets }: { readonly test: Test; readonly targets: readonly Target[] }) {
  const { t, when } = useTexts();
  const { status, cause, came, became, findings, createdAt } = test;
  // Nothing was asked of people: who began it has no account.
  const isByLink = test.createdBy === null;
  return (
    <Stack gap="sm" role="region" aria-label={t('resultOfTest')}>
      <Text>
        <TestStatus status={status} /> {when(createdAt)}
      </Text>
      <div role="status">
        {status === 'passed' ? <Notice>{t(isByLink ? 'setUpTestPassed' : 'testPassedText')}</Notice> : null}
        {status === 'opened' || status === 'waiting' ? <Notice>{t('testOpenedText')}</Notice> : null}
        {cause === null ? null : (
          <Problem>
            {t(`cause_${cause.kind}`)}{' '}
            {cause.upstreamError === null
              ? null
              : t('providerSaid', { said: [cause.upstreamError, cause.upstreamDescription ?? ''].join(': ').replace(/: $/, '') })}
          </Problem>
        )}
        {findings.map(({ kind, isBlocking, claims }) => {
          const text = t(`finding_${kind}`, { claims: claims.join(', ') });
          return isBlocking ? <Problem key={kind}>{text}</Problem> : <Notice key={kind}>{text}</Notice>;
        })}
      </div>
      {cause === null ? null : (
        <Text size="sm" c="dimmed" className="wrap">
          {t('technically', { reason: cause.reason })}
        </Text>
      )}
      {became === null ? null : (
        <div className="came-became">
          <section aria-labelledby="came">
            <Title order={3} size="h5" id="came">
              {t('whatCame')}
            </Title>
            <dl className="facts">
              {came.map(({ name, values, isCut }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    {values.join(', ') || '–'}
                    {isCut ? ' …' : ''}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
          <section aria-labelledby="became">
            <Title order={3} size="h5" id="became">
              {t('whatItBecame')}
            </Title>
            <Facts
              facts={[
                [t('subjectOfPerson'), became.subject],
                [t('address'), became.email ?? '–'],
                [t('domainOfAddress'), t(became.isDomainProven ? 'domainIsYours' : 'domainIsNotYours')],
                [t('nameLabel'), became.name ?? '–'],
                [t('personOfTest'), isByLink ? null : t(became.person === null ? 'person_none' : `person_${became.person}`)],
                [t('roles'), isByLink ? null : became.roles.map(({ name }) => name).join(', ') || '–'],
                [
                  t('linesThatApply'),
                  isByLink
                    ? null
                    : became.mapped.map((line) => `${line.claim} = ${line.value} → ${nameOf(line, targets)}`).join(', ') || '–',
                ],
              ]}
            />
          </section>
        </div>
      )}
    </Stack>
  );
}

/** The role of a line, and the project where it is of one. */
export function nameOf(
  { roleId, grantId }: { readonly roleId: string; readonly grantId: string | null },
  targets: readonly Target[],
): string {
  const target = targets.find((one) => one.grantId === grantId);
  const name = target?.roles.find(({ id }) => id === roleId)?.name ?? '…';
  return grantId === null ? name : `${name} (${target?.label ?? '…'})`;
}
