import { Badge, Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Notice, Problem } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { tessera } from '../../session/tessera.ts';
import { useWords } from '../../words/language.tsx';
import { Part } from './part.tsx';
import type { SetUpState } from './set-up.tsx';

type TestProps = { readonly setUp: SetUpState; readonly number: number };

/** A round trip to the provider, and what the last one showed. */
export function SetUpTest({ setUp: { id, connection, test }, number }: TestProps) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const start = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const { url } = await tessera.startSetUpTest({ id });
      window.location.assign(url);
    } catch (error) {
      setProblem(error);
      setPending(false);
    }
  };
  return (
    <Part number={number} title={t('setUpTest')}>
      <Text>{t(connection === null ? 'setUpTestFirst' : 'setUpTestText')}</Text>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {connection === null ? null : (
        <Button variant={test === null ? 'filled' : 'default'} loading={isPending} onClick={() => void start()}>
          {t('testConnection')}
        </Button>
      )}
      {test === null ? null : <Shown test={test} />}
    </Part>
  );
}

type Test = NonNullable<SetUpState['test']>;

function Shown({ test: { status, cause, came, became, findings, createdAt } }: { readonly test: Test }) {
  const { t, language } = useWords();
  const said = cause === null ? '' : [cause.upstreamError, cause.upstreamDescription].filter((part) => part !== null).join(': ');
  return (
    <Stack gap="sm" role="region" aria-label={t('resultOfTest')} className="set-up-test">
      <Text>
        <Badge variant="light" color={status === 'passed' ? 'indigo' : 'gray'}>
          {t(`test_${status}`)}
        </Badge>{' '}
        {new Date(createdAt).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })}
      </Text>
      {status === 'passed' ? <Notice>{t('setUpTestPassed')}</Notice> : null}
      {status === 'opened' || status === 'waiting' ? <Notice>{t('testOpenedText')}</Notice> : null}
      {cause === null ? null : (
        <>
          <Problem>
            {t(`cause_${cause.kind}`)} {said === '' ? null : t('providerSaid', { said })}
          </Problem>
          <Text size="sm" c="dimmed" className="wrap">
            {t('technically', { reason: cause.reason })}
          </Text>
        </>
      )}
      {findings.map(({ kind, isBlocking, claims }) => {
        const text = t(`finding_${kind}`, { claims: claims.join(', ') });
        return isBlocking ? <Problem key={kind}>{text}</Problem> : <Notice key={kind}>{text}</Notice>;
      })}
      {became === null ? null : (
        <>
          <Values
            title={t('whatCame')}
            values={came.map(({ name, values, isCut }) => [name, `${values.join(', ') || '–'}${isCut ? ' …' : ''}`])}
          />
          <Values
            title={t('whatItBecame')}
            values={[
              [t('subjectOfPerson'), became.subject],
              [t('email'), became.email ?? '–'],
              [t('domainOfAddress'), t(became.isDomainProven ? 'domainIsYours' : 'domainIsNotYours')],
              [t('setUpTestName'), became.name ?? '–'],
            ]}
          />
        </>
      )}
    </Stack>
  );
}

function Values({ title, values }: { readonly title: string; readonly values: readonly (readonly [name: string, value: string])[] }) {
  return (
    <section>
      <Title order={3} size="h5">
        {title}
      </Title>
      <dl className="came">
        {values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
