import { Badge, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Notice, Problem } from '../../look/page.tsx';
import { messageOf, useForm } from '../../parts/form.ts';
import { tessera } from '../../session/tessera.ts';
import { useWords } from '../../words/language.tsx';
import { Part, ToCopy } from './part.tsx';
import type { SetUpState } from './set-up.tsx';

type DomainsProps = { readonly setUp: SetUpState; readonly changed: () => void };

export function SetUpDomains({ setUp: { id, domains }, changed }: DomainsProps) {
  const { t } = useWords();
  const { form, field, clear, problem, isPending } = useForm({
    initial: { domain: '' },
    check: { domain: (value) => (value.trim() === '' ? 'setUpEnterDomain' : undefined) },
    serverFields: { domain: 'domain' },
    send: async ({ domain }) => {
      await tessera.addSetUpDomain({ id, domain: domain.trim() });
      clear();
      changed();
    },
  });
  return (
    <Part number={1} title={t('setUpDomains')}>
      <Text>{t('setUpDomainsText')}</Text>
      {domains.map((domain) => (
        <Domain key={domain.id} id={id} domain={domain} changed={changed} />
      ))}
      <form {...form}>
        <Stack gap="sm">
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <TextInput
            {...field('domain')}
            label={t('setUpDomain')}
            description={t('setUpDomainHelp')}
            maxLength={253}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          <Button type="submit" variant={domains.length === 0 ? 'filled' : 'default'} loading={isPending}>
            {t('setUpAddDomain')}
          </Button>
        </Stack>
      </form>
    </Part>
  );
}

const problems = ['record_missing', 'record_differs', 'dns_failed', 'claimed_elsewhere'] as const;

type DomainProps = { readonly id: string; readonly domain: SetUpState['domains'][number]; readonly changed: () => void };

function Domain({ id, domain: { id: domainId, domain, status, challenge, problem: last }, changed }: DomainProps) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const isProven = status === 'verified';
  const why = problems.find((known) => known === last);
  const check = async () => {
    setPending(true);
    setProblem(undefined);
    await tessera.verifySetUpDomain({ id, domainId }).then(changed, setProblem);
    setPending(false);
  };
  return (
    <Stack gap="xs" className="set-up-domain">
      <div>
        <Text span fw={600} className="wrap">
          {domain}
        </Text>{' '}
        <Badge variant="light" color={isProven ? 'indigo' : 'gray'}>
          {t(isProven ? 'setUpProven' : 'setUpNotProven')}
        </Badge>
      </div>
      <ToCopy name={t('setUpRecordName')} value={challenge.name} />
      <ToCopy name={t('setUpRecordValue')} value={challenge.value} />
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {why === undefined || isPending ? null : <Notice>{t(`setUp_${why}`)}</Notice>}
      {isProven ? null : (
        <Button variant="default" className="wrap" loading={isPending} onClick={() => void check()}>
          {t('setUpCheck', { domain })}
        </Button>
      )}
    </Stack>
  );
}
