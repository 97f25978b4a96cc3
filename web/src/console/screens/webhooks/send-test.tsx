import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Notice, Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { Modal } from '../../base/modal.tsx';
import { useRoleScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import type { Webhook } from './edit.tsx';

import { useAnswer } from './status.tsx';

const looks = 20;
const pauseMs = 700;

/** Sends a test, and waits for what the target says. */
export function SendTest({ webhook, close }: { readonly webhook: Webhook; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const queries = useQueryClient();
  const answer = useAnswer();
  const test = useQuery({
    queryKey: ['webhook test', webhook.id],
    queryFn: async ({ signal }) => {
      const sent = await tessera.testWebhook({ scope, id: webhook.id });
      for (let look = 0; look < looks && !signal.aborted; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const { items } = await tessera.listWebhookDeliveries({ scope, id: webhook.id, limit: 20 });
        const found = items.find(({ id }) => id === sent.id);
        if (found && found.status !== 'waiting') return found;
      }
      return sent;
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    if (test.data) void queries.invalidateQueries({ queryKey: ['console'] });
  }, [test.data, queries]);
  const last = test.data?.attempts.at(-1);
  return (
    <Modal opened onClose={close} title={t('sendTest')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md" role="status">
        {test.isPending ? (
          <Text>
            <Loader size={14} aria-hidden /> {t('testIsSent')}
          </Text>
        ) : null}
        {test.error ? <Problem>{messageOf(test.error)}</Problem> : null}
        {test.data && last === undefined ? <Notice>{t('noAnswerYet')}</Notice> : null}
        {last && last.error === null ? <Notice>{t('testAccepted', { status: String(last.status) })}</Notice> : null}
        {last && last.error !== null ? (
          <Problem>
            {t('testRefused')} {answer(last)}.
          </Problem>
        ) : null}
        <div className="dialog-end">
          <Button onClick={close}>{t('close')}</Button>
        </div>
      </Stack>
    </Modal>
  );
}
