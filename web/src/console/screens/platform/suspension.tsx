import { Button, Group, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useTexts } from '../../base/words.ts';
import type { Tenant } from '../../parts/audit/tenant.tsx';
import { Confirm } from '../../parts/form/dialogs.tsx';

type TenantProps = { readonly tenant: Tenant };

/** Suspends a tenant with its projects, and ends that. */
export function Suspension({ tenant }: TenantProps) {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const { id, name, suspendedAt, suspensionReason } = tenant;
  return (
    <section className="panel danger-zone">
      <Title order={2} size="h4">
        {t('suspension')}
      </Title>
      {suspendedAt === null ? (
        <Text c="dimmed">{t('suspendText')}</Text>
      ) : (
        <>
          <Text>{t('suspendedSince', { when: when(suspendedAt) })}</Text>
          {suspensionReason === null ? null : <Text className="wrap">{t('suspendedBecause', { reason: suspensionReason })}</Text>}
        </>
      )}
      <Group gap="xs">
        {suspendedAt === null ? (
          <Button className="danger-button" onClick={() => dialog.open('suspend')}>
            {t('suspend')}
          </Button>
        ) : (
          <>
            <Button onClick={() => dialog.open('resume')}>{t('resume')}</Button>
            <Button variant="default" onClick={() => dialog.open('suspend')}>
              {t('changeReason')}
            </Button>
          </>
        )}
      </Group>
      {dialog.name === 'suspend' ? <Suspend tenant={tenant} close={dialog.close} /> : null}
      {dialog.name === 'resume' && suspendedAt !== null ? (
        <Confirm
          title={t('resume')}
          text={t('resumeText')}
          button={t('resume')}
          said={t('wasResumed', { name })}
          run={() => tessera.resumeTenant({ id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}

/** Asks for the name first. Of a suspended tenant it changes the reason only. */
function Suspend({ tenant: { id, name, suspendedAt, suspensionReason }, close }: TenantProps & { readonly close: () => void }) {
  const { t } = useTexts();
  const [reason, setReason] = useState(suspensionReason ?? '');
  const given = reason.trim();
  const texts =
    suspendedAt === null
      ? { title: t('suspendNamed', { name }), text: t('suspendText'), button: t('suspend'), said: t('wasSuspended', { name }), name }
      : { title: t('changeReason'), text: t('changeReasonText'), button: t('save'), said: t('reasonChanged') };
  return (
    <Confirm {...texts} run={() => tessera.suspendTenant({ id, ...(given === '' ? {} : { reason: given }) })} close={close}>
      <Textarea
        data-autofocus
        label={t('suspensionReason')}
        description={t('suspensionReasonHelp')}
        value={reason}
        autosize
        minRows={2}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Confirm>
  );
}
