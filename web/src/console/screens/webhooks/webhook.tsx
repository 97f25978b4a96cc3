import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Notice, Problem, Waiting } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Delete } from '../../parts/form/edit.tsx';
import { Secret } from '../../parts/form/secret.tsx';
import { Deliveries } from './deliveries.tsx';
import { Edit, type Webhook } from './edit.tsx';

import { SendTest } from './send-test.tsx';
import { isUnvouched, Status } from './status.tsx';

/** One webhook: whether it is on, its secret, a test, and its deliveries. */
export function Screen() {
  const scope = useRoleScope();
  const { webhookId = '' } = useParams({ strict: false }) as { readonly webhookId?: string };
  const found = useQuery({
    queryKey: ['console', 'webhooks', 'one', scope.id, webhookId],
    queryFn: async () => (await tessera.listWebhooks({ scope, ids: [webhookId] })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found webhook={found.data} />;
}

function Found({ webhook }: { readonly webhook: Webhook }) {
  const { t, when } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const mayChange = may('Webhook:Update');
  const mayVouch = mayChange && may('AuditEvent:Query');
  const { id, url, description, isActive, disabledAt, voucher } = webhook;
  return (
    <>
      <NavigationLink to={pathOf(place, 'webhooks')}>{t('allWebhooks')}</NavigationLink>
      <Head
        title={url}
        text={
          <>
            <Status webhook={webhook} /> <Text span>{description}</Text>
            {voucher === null ? null : (
              <Text span size="sm">
                {t(`directedBy_${voucher.type}`, { when: when(voucher.at) })}
              </Text>
            )}
          </>
        }
      >
        {mayVouch ? (
          <Button variant={isUnvouched(webhook) ? 'filled' : 'default'} onClick={() => dialog.open('vouch')}>
            {t('vouch')}
          </Button>
        ) : null}
        {mayChange ? (
          <>
            <Button onClick={() => dialog.open('test')}>{t('sendTest')}</Button>
            <Button variant="default" onClick={() => dialog.open('edit')}>
              {t('edit')}
            </Button>
            <Button variant="default" onClick={() => dialog.open('switch')}>
              {t(isActive ? 'switchOff' : 'switchOn')}
            </Button>
            <NewSecret id={id} />
          </>
        ) : null}
        {may('Webhook:Delete') ? (
          <Button variant="default" onClick={() => dialog.open('delete')}>
            {t('delete')}
          </Button>
        ) : null}
      </Head>
      {disabledAt === null ? null : <Notice>{t('wasDisabled', { when: when(disabledAt) })}</Notice>}
      <VoucherNotice webhook={webhook} />
      <Deliveries webhook={webhook} />
      {mayChange ? <Dialogs webhook={webhook} /> : null}
    </>
  );
}

function VoucherNotice({ webhook }: { readonly webhook: Webhook }) {
  const { t, when } = useTexts();
  if (!isUnvouched(webhook)) return null;
  const until = webhook.isActive ? webhook.voucher?.until : undefined;
  return <Notice>{until == null ? t('hasStopped') : t('stopsUnlessVouched', { when: when(until) })}</Notice>;
}

function Dialogs({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const dialog = useDialog();
  const navigate = useNavigate();
  const { id, url, isActive } = webhook;
  switch (dialog.name) {
    case 'test':
      return <SendTest webhook={webhook} close={dialog.close} />;
    case 'edit':
      return <Edit webhook={webhook} close={dialog.close} />;
    case 'switch':
      return (
        <Confirm
          title={t(isActive ? 'switchOff' : 'switchOn')}
          text={t(isActive ? 'switchOffText' : 'switchOnText')}
          button={t(isActive ? 'switchOff' : 'switchOn')}
          said={t(isActive ? 'switchedOff' : 'switchedOn')}
          run={() => tessera.updateWebhook({ scope, id, isActive: !isActive }, { ifMatch: webhook })}
          close={dialog.close}
        />
      );
    case 'vouch':
      return (
        <Confirm
          title={t('vouch')}
          text={t('vouchText', { url })}
          button={t('vouch')}
          said={t('vouched')}
          run={() => tessera.vouchForWebhook({ scope, id })}
          close={dialog.close}
        />
      );
    case 'delete':
      return (
        <Delete
          name={url}
          text={t('deleteWebhookText')}
          run={() => tessera.deleteWebhook({ scope, id })}
          close={dialog.close}
          done={() => void navigate({ to: pathOf(place, 'webhooks') })}
        />
      );
    default:
      return null;
  }
}

function NewSecret({ id }: { readonly id: string }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const make = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      setSecret((await tessera.createWebhookSecret({ scope, id })).secret);
      await queries.invalidateQueries({ queryKey: ['console'] });
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => void make()}>
        {t('newSecret')}
      </Button>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {secret === undefined ? null : (
        <Secret title={t('newWebhookSecretText')} values={{ secret }} file="tessera-webhook.json" close={() => setSecret(undefined)} />
      )}
    </>
  );
}
