import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { Modal } from '../../base/modal.tsx';
import { useRights } from '../../base/rights.ts';
import { useRoleScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { actionInWords } from '../../parts/audit/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import type { Webhook } from './edit.tsx';

import { type Delivery, DeliveryStatus, useAnswer } from './status.tsx';

const statuses = ['waiting', 'delivered', 'failed'] as const;

/** What a webhook was told, with every attempt and its answer. */
export function Deliveries({ webhook: { id } }: { readonly webhook: Webhook }) {
  const { t, when } = useTexts();
  const scope = useRoleScope();
  const { may } = useRights();
  const answer = useAnswer();
  const [shown, setShown] = useState<Delivery>();
  const [again, setAgain] = useState<Delivery>();
  const mayReplay = may('Webhook:Update');
  return (
    <>
      <Title order={2} size="h4">
        {t('deliveries')}
      </Title>
      <List<Delivery>
        name={`deliveries ${id}`}
        label={t('deliveries')}
        icon="send"
        canSearch={false}
        empty={t('noDeliveries')}
        emptyText={t('noDeliveriesText')}
        filters={statuses.map((value) => ({ value, label: t(`delivery_${value}`) }))}
        load={({ page, limit }, filter) => {
          const status = statuses.find((known) => known === filter);
          return tessera.listWebhookDeliveries({ scope, id, page, limit, ...(status && { status }) });
        }}
        columns={[
          { label: t('time'), cell: ({ at }) => when(at) },
          {
            label: t('event'),
            cell: (delivery) => (
              <button type="button" className="as-link" onClick={() => setShown(delivery)}>
                {actionInWords(delivery.eventType)}
              </button>
            ),
          },
          { label: t('status'), cell: (delivery) => <DeliveryStatus status={delivery.status} /> },
          { label: t('attempts'), cell: ({ attempts }) => String(attempts.length) },
          {
            label: t('lastAnswer'),
            cell: ({ attempts }) => (attempts.length === 0 ? '–' : answer(attempts[attempts.length - 1] as never)),
          },
          { label: t('nextAttempt'), cell: ({ nextAttemptAt }) => when(nextAttemptAt) },
        ]}
        actions={(delivery) =>
          allowed(
            [true, { label: t('details'), run: () => setShown(delivery) }],
            [mayReplay, { label: t('replay'), run: () => setAgain(delivery) }],
          )
        }
      />
      {shown ? (
        <Details
          delivery={shown}
          replay={mayReplay ? () => setAgain(shown) : undefined}
          close={() => {
            setShown(undefined);
          }}
        />
      ) : null}
      {again ? (
        <Confirm
          title={t('replay')}
          text={t('replayText')}
          button={t('replay')}
          said={t('replayed')}
          run={() => tessera.replayWebhookDelivery({ scope, id, deliveryId: again.id })}
          close={() => {
            setAgain(undefined);
            setShown(undefined);
          }}
        />
      ) : null}
    </>
  );
}

type DetailsProps = { readonly delivery: Delivery; readonly replay: (() => void) | undefined; readonly close: () => void };

function Details({ delivery: { id, eventType, at, attempts, status, nextAttemptAt }, replay, close }: DetailsProps) {
  const { t, when } = useTexts();
  const answer = useAnswer();
  return (
    <Modal opened onClose={close} title={actionInWords(eventType)} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Text>
          <DeliveryStatus status={status} /> {when(at)}
          {nextAttemptAt === null ? null : ` · ${t('nextAttempt')}: ${when(nextAttemptAt)}`}
        </Text>
        <Text size="sm">
          webhook-id <code className="value">{id}</code>
        </Text>
        <Title order={3} size="h5">
          {t('attempts')}
        </Title>
        {attempts.length === 0 ? <Text c="dimmed">{t('noAttempts')}</Text> : null}
        <ol className="list" aria-label={t('attempts')}>
          {attempts.toReversed().map((attempt) => (
            <li key={attempt.at}>
              <span>{when(attempt.at)}</span> <strong>{answer(attempt)}</strong>{' '}
              <Text span c="dimmed">
                {t('took', { ms: String(attempt.durationMs) })}
              </Text>
            </li>
          ))}
        </ol>
        <div className="dialog-end">
          {replay === undefined ? null : (
            <Button variant="default" onClick={replay}>
              {t('replay')}
            </Button>
          )}
          <Button onClick={close}>{t('close')}</Button>
        </div>
      </Stack>
    </Modal>
  );
}
