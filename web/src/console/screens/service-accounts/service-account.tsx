import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { TesseraError } from '@tessera/client';
import { Waiting } from '../../../look/page.tsx';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { elevatable, elevatedWords, type ServiceAccount } from './account.ts';
import { Credentials } from './credentials.tsx';
import { Edit } from './edit.tsx';
import { End } from './end.tsx';
import { useOwner } from './owner.ts';
import { proofTypes } from './proof.ts';
import { roleNames, useMakerNames } from './roles.ts';
import { Status, useLastUse } from './status.tsx';

type Shown = { readonly account: ServiceAccount; readonly roles: readonly string[]; readonly maker: string | undefined };

/** One service account: what it may do, who made it, its credentials, and its end. */
export function Screen() {
  const owner = useOwner();
  const makerNames = useMakerNames();
  const { accountId = '' } = useParams({ strict: false }) as { readonly accountId?: string };
  const found = useQuery({
    queryKey: ['console', 'service accounts', 'one', owner.id, accountId],
    queryFn: async (): Promise<Shown | null> => {
      const account = await existing(owner.read(accountId));
      if (account === undefined) return null;
      const { roleIds, createdBy } = account;
      const [roles, makers] = await Promise.all([roleNames(owner, roleIds), makerNames(owner, [createdBy])]);
      return { account, roles: roleIds.flatMap((id) => roles.get(id) ?? []), maker: makers.get(createdBy) };
    },
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found {...found.data} />;
}

/** Undefined for one that does not exist, here or at all. */
async function existing<Thing>(asked: Promise<Thing>): Promise<Thing | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TesseraError && (error.status === 404 || error.code === 'VALIDATION_ERROR')) return undefined;
    throw error;
  }
}

function Found({ account, roles, maker }: Shown) {
  const { t } = useTexts();
  const { path, may } = useOwner();
  const dialog = useDialog();
  const navigate = useNavigate();
  const all = path();
  return (
    <>
      <NavigationLink to={all}>{t('allServiceAccounts')}</NavigationLink>
      <Head
        title={account.name}
        text={
          <>
            <Status account={account} /> <Text span>{account.description}</Text>
          </>
        }
      >
        {may('Update') ? (
          <Button variant="default" onClick={() => dialog.open('edit')}>
            {t('edit')}
          </Button>
        ) : null}
        {may('Delete') ? (
          <Button variant="default" onClick={() => dialog.open('delete')}>
            {t('delete')}
          </Button>
        ) : null}
      </Head>
      <div className="panels">
        <Credentials account={account} />
        <Settings account={account} roles={roles} maker={maker} />
        <UseIt account={account} />
      </div>
      {dialog.name === 'edit' && may('Update') ? <Edit account={account} close={dialog.close} /> : null}
      {dialog.name === 'delete' && may('Delete') ? (
        <End account={account} close={dialog.close} done={() => void navigate({ to: all })} />
      ) : null}
    </>
  );
}

function Settings({ account, roles, maker }: Shown) {
  const { t, when } = useTexts();
  const { kind } = useOwner();
  const lastUse = useLastUse();
  const { clientId, elevated, allowedNetworks, createdAt } = account;
  const named = elevatable.filter((name) => elevated.includes(name)).map((name) => t(elevatedWords[name]));
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('settings')}
      </Title>
      <div>
        <Text size="sm" fw={500}>
          {t('clientId')}
        </Text>
        <Copyable value={clientId} />
      </div>
      <Facts
        facts={[
          [t('roles'), roles.join(', ') || '–'],
          [t('elevated'), kind === 'organization' ? named.join(', ') || t('nothingElevated') : null],
          [t('allowedNetworks'), allowedNetworks.join(', ') || t('fromEverywhere')],
          [
            t('madeBy'),
            t('madeByOn', { name: maker ?? t(kind === 'platform' ? 'anotherAdministrator' : 'hasLeft'), when: when(createdAt) }),
          ],
          [t('lastUsedAt'), lastUse(account)],
        ]}
      />
    </section>
  );
}

const tokenTexts = { organization: 'getATokenText', account: 'getATokenOfAccountText', platform: 'getATokenOfPlatformText' } as const;

/** The lines that get a token, by what the account proves itself with. */
function UseIt({ account: { credentials } }: { readonly account: ServiceAccount }) {
  const { t } = useTexts();
  const { kind, id } = useOwner();
  const address = `${window.location.origin}/oauth/token`;
  const lines = {
    secret: `curl -u "$TESSERA_CLIENT_ID:$TESSERA_CLIENT_SECRET" -d grant_type=client_credentials ${address}`,
    jwks: `curl -d grant_type=client_credentials -d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion="$ASSERTION" ${address}`,
    trust: `curl -d grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer -d client_id="$TESSERA_CLIENT_ID" -d assertion="$ID_TOKEN" ${address}`,
    directory: `curl -H "authorization: Bearer $TOKEN" ${window.location.origin}/scim/v2/${id}/Users?count=1`,
  } as const;
  const used = proofTypes.filter((type) => credentials.some((credential) => credential.type === type));
  return (
    <section className="panel wide">
      <Title order={2} size="h4">
        {t('getAToken')}
      </Title>
      <Text c="dimmed">{t(tokenTexts[kind])}</Text>
      {(used.length === 0 ? (['secret'] as const) : used).map((type) => (
        <Copyable key={type} value={lines[type]} isBlock />
      ))}
    </section>
  );
}
