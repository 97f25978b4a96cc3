import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { Notice, Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { Modal } from '../../base/modal.tsx';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';

export type Domain = Item<'listDomains'>;

type RecordProps = { readonly domain: Domain; readonly close: () => void };

/** The record that proves a domain, and whether the DNS shows it. */
export function DomainRecord({ domain: listed, close }: RecordProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => tessera.verifyDomain({ scope, id: listed.id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['console'] }),
  });
  const domain = check.data ?? listed;
  const { name, value } = domain.challenge;
  const [label = ''] = name.split('.');
  return (
    <Modal opened onClose={close} title={domain.domain} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Text>{t('recordText', { domain: domain.domain })}</Text>
        <Field name={t('recordType')} value="TXT" />
        <div>
          <Field name={t('recordName')} value={name} />
          <Text size="sm" c="dimmed">
            {t('recordNameHelp', { label })}
          </Text>
        </div>
        <Field name={t('recordValue')} value={value} />
        <div role="status">
          {check.error ? <Problem>{messageOf(check.error)}</Problem> : null}
          {check.isPending ? null : <State domain={domain} />}
        </div>
        <div className="dialog-end">
          <Button variant="default" onClick={close}>
            {t('close')}
          </Button>
          {may('Domain:Update') ? (
            <Button onClick={() => check.mutate()} loading={check.isPending}>
              {t(domain.status === 'verified' ? 'verifyAgain' : 'verify')}
            </Button>
          ) : null}
        </div>
      </Stack>
    </Modal>
  );
}

function Field({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Copyable value={value} />
    </div>
  );
}

/** What the last check said, and what to do next. */
function State({ domain: { domain, status, problem, lostAt } }: { readonly domain: Domain }) {
  const { t, when } = useTexts();
  return (
    <Stack gap="sm">
      {status === 'verified' ? <Notice>{t('domainVerified', { domain })}</Notice> : null}
      {status === 'failing' && lostAt !== null ? <Problem>{t('domainFails', { domain, when: when(lostAt) })}</Problem> : null}
      {status === 'lost' ? <Problem>{t('domainWasLost')}</Problem> : null}
      {problem === null || (status === 'failing' && problem === 'record_missing') ? null : <Notice>{t(`problem_${problem}`)}</Notice>}
    </Stack>
  );
}
