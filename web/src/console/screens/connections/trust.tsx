import { Button, Checkbox, TagsInput, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Facts } from '../../parts/list/facts.tsx';
import { type Connection, trustChange, useTests } from './connection.ts';

/** An Owner alone extends what a provider is believed; whoever else may change it takes it back. */
function useIsOwner(): boolean {
  const scope = useOrganization();
  const { user } = useMe();
  const { data = false } = useQuery({
    queryKey: ['console', 'is owner', scope.id, user.id],
    queryFn: async () => {
      const { items } = await tessera.listOrganizationMembers({ scope, ids: [user.id] });
      return items.some(({ role }) => role?.rank === 1);
    },
  });
  return data;
}

/** What the provider is believed beside who its own people are. */
export function Trust({ connection }: { readonly connection: Connection }) {
  const { t } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  const isOwner = useIsOwner();
  const { linkOnProvenDomain, trustedAcr } = connection;
  const isBelieved = linkOnProvenDomain || trustedAcr.length > 0;
  const mayChange = may('Connection:Update') && (isOwner || isBelieved);
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('trust')}
        </Title>
        {mayChange ? (
          <Button size="compact-sm" variant="default" onClick={() => dialog.open('trust')}>
            {t(isOwner ? 'decideTrust' : 'takeTrustBack')}
          </Button>
        ) : null}
      </div>
      <Text c="dimmed">{t('trustText')}</Text>
      <Facts
        facts={[
          [t('linksAccounts'), t(linkOnProvenDomain ? 'yes' : 'no')],
          [t('countsAsSecondFactor'), trustedAcr.join('\n') || t('nothingCounts')],
        ]}
      />
      {isOwner ? null : (
        <Text size="sm" c="dimmed">
          {t(isBelieved ? 'trustTakenBackByYou' : 'trustByOwners')}
        </Text>
      )}
    </section>
  );
}

type Props = { readonly connection: Connection; readonly close: () => void };
const fieldsOf = ({ linkOnProvenDomain, trustedAcr }: Connection) => ({ linkOnProvenDomain, trustedAcr: [...trustedAcr] });

/** Says what each opens before it is saved, and what ends when it is taken back. */
export function DecideTrust({ connection, close }: Props) {
  const { t } = useTexts();
  const scope = useOrganization();
  const isOwner = useIsOwner();
  const { data: tests = [] } = useTests(connection.id);
  const seen = tests.flatMap(({ came }) => came.flatMap(({ name, values, isCut }) => (name === 'acr' && !isCut ? values : [])));
  const draft = useDraft({
    initial: fieldsOf(connection),
    edits: { thing: connection, show: fieldsOf, read: () => tessera.getConnection({ scope, id: connection.id }) },
    send: (values, call) => tessera.updateConnection({ scope, id: connection.id, ...values }, call),
    done: close,
  });
  const { linkOnProvenDomain, trustedAcr } = draft.values;
  const { links, counts, isTakenBack } = trustChange(connection, draft.values);
  return (
    <FormDialog title={t('trust')} draft={draft} submit={t('save')} close={close} size="lg">
      {isOwner ? null : <Notice>{t('trustTakenBackByYou')}</Notice>}
      <Checkbox
        label={t('linkOnProvenDomain')}
        description={t('linkOnProvenDomainHelp')}
        checked={linkOnProvenDomain}
        disabled={!isOwner && !connection.linkOnProvenDomain}
        onChange={({ currentTarget }) => draft.set('linkOnProvenDomain', currentTarget.checked)}
        data-autofocus
      />
      {links ? <Notice>{t('linkingOpens')}</Notice> : null}
      <TagsInput
        {...draft.field('trustedAcr')}
        label={t('trustedAcr')}
        description={t(connection.type === 'saml' ? 'trustedAcrHelp_saml' : 'trustedAcrHelp_oidc')}
        data={isOwner ? [...new Set(seen)] : [...connection.trustedAcr]}
        value={trustedAcr}
        disabled={!isOwner && connection.trustedAcr.length === 0}
        splitChars={[' ']}
        acceptValueOnBlur
        maxTags={20}
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      {counts ? <Notice>{t('countingOpens')}</Notice> : null}
      {isTakenBack ? <Notice>{t('trustEndsSessions')}</Notice> : null}
    </FormDialog>
  );
}
