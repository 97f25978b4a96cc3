import { Button, NativeSelect, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Rights } from './of-organization.tsx';

/** Products whose supporters need not ask for some days. None by default; given by Owners. */
export function Consents() {
  const { t, when } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const dialog = useDialog();
  const { id } = dialog;
  const consents = useQuery({
    queryKey: ['console', 'support consents', scope.id],
    queryFn: () => tessera.listSupportConsents({ scope }),
  });
  const items = consents.data?.items ?? [];
  return (
    <section className="panel support-consents" aria-label={t('standingConsents')}>
      <Title order={2} size="h4">
        {t('standingConsents')}
      </Title>
      <Text c="dimmed" className="wrap">
        {t('standingConsentsText')}
      </Text>
      {consents.isPending ? <Waiting /> : null}
      {consents.error ? <Retry error={consents.error} again={() => void consents.refetch()} /> : null}
      {items.length === 0 ? null : (
        <ul className="people-list">
          {items.map((consent) => (
            <li key={consent.id}>
              <span className="wrap">
                <strong>{consent.project.name ?? '–'}</strong>
                <small>
                  {[
                    t('consentUntil', { time: when(consent.endsAt) }),
                    t(consent.mayWrite ? 'supportWrites' : 'supportReads'),
                    ...(consent.mayExport ? [t('supportExports')] : []),
                  ].join(', ')}
                </small>
              </span>
              {may('SupportAccess:Revoke') ? (
                <Button variant="default" size="compact-sm" onClick={() => dialog.open('withdraw', consent.id)}>
                  {t('withdrawStanding')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {may('SupportAccess:Grant') && may('ProjectGrant:Query') ? (
        <Button variant="default" className="own-width" onClick={() => dialog.open('consent')}>
          {t('giveConsent')}
        </Button>
      ) : null}
      {dialog.name === 'consent' ? <Give close={dialog.close} /> : null}
      {dialog.name === 'withdraw' && id !== undefined ? (
        <Confirm
          title={t('withdrawStanding')}
          text={t('withdrawStandingText')}
          button={t('withdrawStanding')}
          said={t('consentWithdrawn')}
          run={() => tessera.deleteSupportConsent({ scope, id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}

const days = [1, 7, 30] as const;

function Give({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useOrganization();
  const grants = useQuery({
    queryKey: ['console', 'support consents', 'products', scope.id],
    queryFn: () => tessera.listProjectGrants({ scope, limit: 100 }),
  });
  const [may, setMay] = useState({ mayWrite: false, mayExport: false });
  const [chosen, setChosen] = useState<string>();
  const [lasts, setLasts] = useState<string>('7');
  const used = (grants.data?.items ?? []).filter(({ status }) => status === 'active');
  const product = used.find(({ id }) => id === chosen) ?? used[0];
  if (grants.isPending) return <Waiting />;
  return (
    <Confirm
      title={t('giveConsent')}
      text={t(product === undefined ? 'noProductsText' : 'giveConsentText')}
      button={t('giveConsent')}
      said={t('consentGiven')}
      run={async () => {
        if (product === undefined) return;
        const { ownerOrganizationId, projectId } = product;
        await tessera.createSupportConsent({ scope, ownerOrganizationId, projectId, days: Number(lasts), ...may });
      }}
      close={close}
      isHarmless
    >
      <NativeSelect
        data-autofocus
        label={t('project')}
        data={used.map(({ id, project }) => ({ value: id, label: project.name }))}
        value={product?.id ?? ''}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <NativeSelect
        label={t('consentLasts')}
        data={days.map((count) => ({ value: String(count), label: t('daysCount', { count: String(count) }) }))}
        value={lasts}
        onChange={({ currentTarget }) => setLasts(currentTarget.value)}
      />
      <Rights may={may} change={setMay} />
    </Confirm>
  );
}
