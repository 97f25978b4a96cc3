import { Button, Group, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useProduct } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { customerName, type Grant } from './status.tsx';

type GrantProps = { readonly grant: Grant };

/** Suspends the use by a customer, resumes it, and ends it; an offer is withdrawn. */
export function CustomerEnding({ grant }: GrantProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  const { status, reason } = grant;
  const name = customerName(grant);
  const maySuspend = may('ProjectGrant:Update') && status !== 'offered';
  const mayEnd = may('ProjectGrant:Delete');
  if (!maySuspend && !mayEnd) return null;
  const isSuspended = status === 'suspended';
  const ends = status === 'offered' ? 'withdrawOffer' : 'endUse';
  return (
    <section className="panel danger-zone">
      <Title order={2} size="h4">
        {t(status === 'offered' ? 'withdrawOffer' : 'useEnds')}
      </Title>
      {isSuspended && reason !== null ? <Text className="wrap">{t('suspendedBecause', { reason })}</Text> : null}
      {maySuspend ? (
        <Step
          text={t(isSuspended ? 'resumeCustomerText' : 'suspendCustomerText', { name })}
          button={t(isSuspended ? 'resume' : 'suspend')}
          run={() => dialog.open(isSuspended ? 'resume' : 'suspend')}
          isDangerous={!isSuspended}
        />
      ) : null}
      {mayEnd ? <Step text={t(`${ends}Text`, { name })} button={t(ends)} run={() => dialog.open('end')} isDangerous /> : null}
      {dialog.name === 'suspend' && maySuspend && !isSuspended ? <Suspend grant={grant} close={dialog.close} /> : null}
      {dialog.name === 'resume' && maySuspend && isSuspended ? <Resume grant={grant} close={dialog.close} /> : null}
      {dialog.name === 'end' && mayEnd ? <End grant={grant} close={dialog.close} /> : null}
    </section>
  );
}

type StepProps = { readonly text: string; readonly button: string; readonly run: () => void; readonly isDangerous: boolean };

function Step({ text, button, run, isDangerous }: StepProps) {
  return (
    <Group justify="space-between" align="center" gap="sm">
      <Text c="dimmed" flex="1 1 14rem" className="wrap">
        {text}
      </Text>
      <Button {...(isDangerous ? { className: 'danger-button' } : {})} onClick={run}>
        {button}
      </Button>
    </Group>
  );
}

type DialogProps = GrantProps & { readonly close: () => void };

function Suspend({ grant, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useProduct();
  const [reason, setReason] = useState('');
  const given = reason.trim();
  const { id } = grant;
  const name = customerName(grant);
  return (
    <Confirm
      title={t('suspendNamed', { name })}
      text={t('suspendCustomerText', { name })}
      button={t('suspend')}
      name={name}
      said={t('wasSuspended', { name })}
      run={() => tessera.suspendProjectGrant({ scope, id, ...(given === '' ? {} : { reason: given }) })}
      close={close}
    >
      <Textarea
        data-autofocus
        label={t('suspensionReason')}
        description={t('suspendCustomerReasonHelp')}
        value={reason}
        maxLength={500}
        autosize
        minRows={2}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Confirm>
  );
}

function Resume({ grant, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useProduct();
  const { id } = grant;
  const name = customerName(grant);
  return (
    <Confirm
      title={t('resume')}
      text={t('resumeCustomerText', { name })}
      button={t('resume')}
      said={t('wasResumed', { name })}
      run={() => tessera.resumeProjectGrant({ scope, id })}
      close={close}
      isHarmless
    />
  );
}

/** An offer can be made again; the end of a use asks for the name. */
function End({ grant, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useProduct();
  const { id, status } = grant;
  const name = customerName(grant);
  const texts =
    status === 'offered'
      ? { title: t('withdrawOffer'), text: t('withdrawOfferText', { name }), button: t('withdrawOffer'), said: t('offerTakenBack') }
      : { title: t('endUseNamed', { name }), text: t('endUseText', { name }), button: t('endUse'), said: t('useEnded', { name }), name };
  return <Confirm {...texts} run={() => tessera.endProjectGrant({ scope, id })} close={close} />;
}
