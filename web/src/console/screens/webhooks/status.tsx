import { Badge, Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useTexts } from '../../base/words.ts';
import type { Webhook } from './edit.tsx';

export type Delivery = Item<'listWebhookDeliveries'>;

/** The state without a voucher: a webhook from before vouchers stops at its next event. */
export function isUnvouched({ isActive, voucher }: Pick<Webhook, 'isActive' | 'voucher'>): boolean {
  return voucher === null ? !isActive : voucher.endedAt !== null;
}

/** On, off, or on and failing. */
export function Status({ webhook: { isActive, failingSince, voucher } }: { readonly webhook: Webhook }) {
  const { t, when } = useTexts();
  if (isUnvouched({ isActive, voucher }))
    return (
      <Badge variant="filled" color="red.9">
        {t(isActive ? 'voucherNeeded' : 'stopped')}
      </Badge>
    );
  if (!isActive)
    return (
      <Badge variant="light" color="gray">
        {t('switchedOff')}
      </Badge>
    );
  return failingSince === null ? (
    <Badge variant="light" color="indigo">
      {t('switchedOn')}
    </Badge>
  ) : (
    <>
      <Badge variant="filled" color="red.9">
        {t('isFailing')}
      </Badge>{' '}
      <Text span size="sm">
        {t('failingSince', { when: when(failingSince) })}
      </Text>
    </>
  );
}

export function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  const { t } = useTexts();
  return (
    <Badge variant={status === 'failed' ? 'filled' : 'light'} color={{ waiting: 'gray', delivered: 'indigo', failed: 'red.9' }[status]}>
      {t(`delivery_${status}`)}
    </Badge>
  );
}

/** What the target said to an attempt, or why there was no answer. */
export function useAnswer() {
  const { t } = useTexts();
  return ({ status, error }: Delivery['attempts'][number]) =>
    [status === null ? undefined : String(status), error === null ? undefined : t(`attempt_${error}`)].filter(Boolean).join(' · ');
}
