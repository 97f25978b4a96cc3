import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { Modal } from '../../base/modal.tsx';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { List } from '../../parts/list/list.tsx';

type Request = Item<'listDirectoryRequests'>;

function answerOf({ status, scimType }: Request): string {
  return scimType === null ? String(status) : `${status} ${scimType}`;
}

/** The last requests of the directory, with the answers. */
export function Requests() {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const [shown, setShown] = useState<Request>();
  return (
    <section className="section">
      <Title order={2} size="h4">
        {t('directoryRequests')}
      </Title>
      <Text c="dimmed">{t('directoryRequestsText')}</Text>
      <List<Request>
        name="directory requests"
        label={t('directoryRequests')}
        icon="list"
        canSearch={false}
        empty={t('noDirectoryRequests')}
        emptyText={t('noDirectoryRequestsText')}
        filters={(['refused', 'answered'] as const).map((value) => ({ value, label: t(`requests_${value}`) }))}
        load={({ page, limit }, filter) =>
          tessera.listDirectoryRequests({ scope, page, limit, ...(filter ? { isRefused: filter === 'refused' } : {}) })
        }
        columns={[
          { label: t('time'), cell: ({ at }) => when(at) },
          {
            label: t('scimRequest'),
            cell: (request) => (
              <button type="button" className="as-link" onClick={() => setShown(request)}>
                {request.method} {request.path}
              </button>
            ),
          },
          { label: t('scimAnswer'), cell: (request) => answerOf(request) },
          { label: t('scimReason'), cell: ({ detail }) => detail ?? '–' },
          { label: t('scimTook'), cell: ({ durationMs }) => <span className="unbroken">{durationMs} ms</span> },
        ]}
      />
      {shown ? <Details request={shown} close={() => setShown(undefined)} /> : null}
    </section>
  );
}

function Details({ request, close }: { readonly request: Request; readonly close: () => void }) {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const { method, path, at, ipAddress, serviceAccountId, durationMs, detail, filter, body } = request;
  // One that is deleted meanwhile has its id alone.
  const { data: account } = useQuery({
    queryKey: ['console', 'account of a directory request', scope.id, serviceAccountId],
    queryFn: async () => (await tessera.listServiceAccounts({ scope, ids: [serviceAccountId] })).items[0] ?? null,
    enabled: may('ServiceAccount:Query'),
  });
  return (
    <Modal opened onClose={close} title={`${method} ${path}`} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Facts
          facts={[
            [t('time'), when(at)],
            [t('scimAnswer'), answerOf(request)],
            [t('scimReason'), detail],
            [t('scimFilter'), filter],
            [t('scimTook'), `${durationMs} ms`],
            [t('scimFrom'), ipAddress],
            [t('scimAccount'), account?.name ?? serviceAccountId],
          ]}
        />
        {body === null ? null : (
          <div>
            <Text size="sm" fw={500}>
              {t('scimBody')}
            </Text>
            <Copyable value={JSON.stringify(body, null, 2)} isBlock />
          </div>
        )}
        <div className="dialog-end">
          <Button onClick={close}>{t('close')}</Button>
        </div>
      </Stack>
    </Modal>
  );
}
