import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Notice, Problem, Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Delete } from '../../parts/form/edit.tsx';
import { Copyable } from '../../parts/form/secret.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { type Connection, endOf, useTargets } from './connection.ts';
import { Edit, Metadata } from './edit.tsx';
import { BreakGlass, Enforce, Enforcement } from './enforcement.tsx';
import { EditMapping, Mapping } from './mapping.tsx';
import { Status } from './status.tsx';
import { nameOf, Tests } from './tests.tsx';
import { DecideTrust, Trust } from './trust.tsx';

/** One identity provider: what to register there, its settings, a test, roles, and who has to come by it. */
export function Screen() {
  const scope = useOrganization();
  const { connectionId = '' } = useParams({ strict: false }) as { readonly connectionId?: string };
  const found = useQuery({
    queryKey: ['console', 'connections', 'one', scope.id, connectionId],
    queryFn: async () => (await tessera.listConnections({ scope, ids: [connectionId] })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found connection={found.data} />;
}

function Found({ connection }: { readonly connection: Connection }) {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const targets = useTargets(t('thisOrganization'));
  const { name, type, status, saml } = connection;
  const mayChange = may('Connection:Update');
  return (
    <>
      <NavigationLink to={pathOf(place, 'connections')}>{t('allConnections')}</NavigationLink>
      <Head
        title={name}
        text={
          <>
            <Status connection={connection} /> <Text span>{t(`connection_${type}`)}</Text>
          </>
        }
      >
        {mayChange ? (
          <>
            <Button variant={status === 'active' ? 'default' : 'filled'} onClick={() => dialog.open('switch')}>
              {t(status === 'active' ? 'switchOff' : 'switchOn')}
            </Button>
            <Button variant="default" onClick={() => dialog.open('edit')}>
              {t('edit')}
            </Button>
            {type === 'saml' ? (
              <Button variant={saml === null ? 'filled' : 'default'} onClick={() => dialog.open('metadata')}>
                {t('enterMetadata')}
              </Button>
            ) : null}
          </>
        ) : null}
        {may('Connection:Delete') ? (
          <Button variant="default" onClick={() => dialog.open('delete')}>
            {t('delete')}
          </Button>
        ) : null}
      </Head>
      <div className="panels">
        <AtTheProvider connection={connection} />
        <Settings connection={connection} role={nameOf({ roleId: connection.defaultRoleId, grantId: null }, targets)} />
        {mayChange ? <Tests connection={connection} targets={targets} /> : null}
        <Mapping connection={connection} targets={targets} />
        <Trust connection={connection} />
        <Enforcement connection={connection} />
      </div>
      {mayChange ? <Dialogs connection={connection} /> : null}
      {dialog.name === 'mapping' && mayChange ? <EditMapping connection={connection} targets={targets} close={dialog.close} /> : null}
      {dialog.name === 'delete' && may('Connection:Delete') ? <Remove connection={connection} close={dialog.close} /> : null}
    </>
  );
}

/** What the provider asks for. */
function AtTheProvider({
  connection: { type, callbackUrl, backchannelLogoutUrl, acsUrl, spEntityId, spMetadataUrl, signInUrl },
}: {
  readonly connection: Connection;
}) {
  const { t } = useTexts();
  const values = [
    [t('redirectUri'), callbackUrl],
    [t('backchannelUri'), backchannelLogoutUrl],
    [t('acsUrl'), acsUrl],
    [t('spEntityId'), spEntityId],
    [t('spMetadata'), spMetadataUrl],
    [t('connectionSignInUrl'), signInUrl],
  ] as const;
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('atTheProvider')}
      </Title>
      <Text c="dimmed">{t(`atTheProvider_${type}`)}</Text>
      {values.map(([label, value]) =>
        value === null ? null : (
          <div key={label}>
            <Text size="sm" fw={500}>
              {label}
            </Text>
            <Copyable value={value} />
          </div>
        ),
      )}
    </section>
  );
}

function Settings({ connection, role }: { readonly connection: Connection; readonly role: string }) {
  const { t, when } = useTexts();
  const { oidc, saml, testedAt, lastUsedAt } = connection;
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('settings')}
      </Title>
      <Facts
        facts={[
          [t('issuer'), oidc?.issuer ?? null],
          [t('clientId'), oidc?.clientId ?? null],
          [t('scopes'), oidc === null ? null : ['openid', ...oidc.scopes].join(' ')],
          [t('idpEntityId'), saml?.entityId ?? null],
          [t('ssoUrl'), saml?.ssoUrl ?? null],
          [t('metadataByUrl'), saml?.metadataUrl ?? null],
          [t('connectionRole'), role],
          [t('lastPassedTest'), testedAt === null ? t('notTestedSince') : when(testedAt)],
          [t('lastUsedAt'), lastUsedAt === null ? t('never') : when(lastUsedAt)],
        ]}
      />
      {saml === null ? null : <Certificates certificates={saml.certificates} />}
    </section>
  );
}

type Certificates = NonNullable<Connection['saml']>['certificates'];

/** The keys that sign the provider's answers, and when they end. */
function Certificates({ certificates }: { readonly certificates: Certificates }) {
  const { t, day } = useTexts();
  const words = { good: 'certificateGood', soon: 'certificateSoon', ended: 'certificateEnded' } as const;
  return (
    <div>
      <Title order={3} size="h5">
        {t('certificates')}
      </Title>
      {certificates.map(({ fingerprint, endsAt }) => {
        const end = endOf(endsAt, Date.now());
        const text = t(words[end], { when: day(endsAt), fingerprint: fingerprint.slice(0, 16) });
        return end === 'good' ? (
          <Text key={fingerprint} size="sm">
            {text}
          </Text>
        ) : (
          <Problem key={fingerprint}>{text}</Problem>
        );
      })}
    </div>
  );
}

type DialogProps = { readonly connection: Connection; readonly close: () => void };

function Dialogs({ connection }: { readonly connection: Connection }) {
  const dialog = useDialog();
  const props = { connection, close: dialog.close };
  switch (dialog.name) {
    case 'edit':
      return <Edit {...props} />;
    case 'metadata':
      return connection.type === 'saml' ? <Metadata {...props} /> : null;
    case 'trust':
      return <DecideTrust {...props} />;
    case 'switch':
      return <Switch {...props} />;
    case 'enforce':
      return <Enforce {...props} />;
    case 'owners':
      return <BreakGlass {...props} />;
    default:
      return null;
  }
}

/** Switching on is asked about where no test has passed; switching off ends sessions. */
function Switch({ connection, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const { id, status, testedAt } = connection;
  const isOn = status === 'active';
  return (
    <Confirm
      title={t(isOn ? 'switchOff' : 'switchOn')}
      text={t(isOn ? 'connectionOffText' : 'connectionOnText')}
      button={t(isOn ? 'switchOff' : 'switchOn')}
      isHarmless={!isOn}
      said={t(isOn ? 'switchedOff' : 'switchedOn')}
      run={() => tessera.updateConnection({ scope, id, status: isOn ? 'disabled' : 'active' }, { ifMatch: connection })}
      close={close}
    >
      {isOn || testedAt !== null ? null : <Notice>{t('onWithoutTest')}</Notice>}
    </Confirm>
  );
}

function Remove({ connection: { id, name }, close }: DialogProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const navigate = useNavigate();
  return (
    <Delete
      name={name}
      text={t('deleteConnectionText')}
      run={() => tessera.deleteConnection({ scope, id })}
      close={close}
      done={() => void navigate({ to: pathOf(place, 'connections') })}
    />
  );
}
