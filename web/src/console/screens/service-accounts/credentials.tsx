import { Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useDialog } from '../../base/address.ts';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Secret } from '../../parts/form/secret.tsx';
import { type Credential, isExpired, type NewCredential, rotationOf, type ServiceAccount } from './account.ts';
import { NewCredentialForm } from './new-credential.tsx';
import { useOwner } from './owner.ts';
import { detailsOf, nameOf } from './proof.ts';

const most = 4;

/** What the machine proves itself with, and the way to change it without a pause. */
export function Credentials({ account }: { readonly account: ServiceAccount }) {
  const { t } = useTexts();
  const { may } = useOwner();
  const dialog = useDialog();
  const [made, setMade] = useState<NewCredential>();
  const { credentials, name } = account;
  const mayChange = may('Update');
  const mayAdd = mayChange && credentials.length < most;
  const chosen = credentials.find(({ id }) => id === dialog.id);
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('credentials')}
        </Title>
        {mayAdd ? (
          <Button size="compact-sm" variant={credentials.length === 0 ? 'filled' : 'default'} onClick={() => dialog.open('credential')}>
            {t('newCredential')}
          </Button>
        ) : null}
      </div>
      <Text c="dimmed">{t(credentials.length === 0 ? 'noCredentials' : 'credentialsText')}</Text>
      {credentials.length === 0 ? null : (
        <ul className="list" aria-label={t('credentials')}>
          {credentials.map((credential) => (
            <li key={credential.id}>
              <Shown credential={credential} />
              {mayChange ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('removeCredential', { name: nameOf(credential) })}
                  onClick={() => dialog.open('remove', credential.id)}
                >
                  {t('remove')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayChange ? <Rotation credentials={credentials} /> : null}
      {dialog.name === 'credential' && mayAdd ? <NewCredentialForm account={account} close={dialog.close} made={setMade} /> : null}
      {made?.clientSecret === undefined ? null : <NewSecret made={made} name={name} close={() => setMade(undefined)} />}
      {dialog.name === 'remove' && chosen && mayChange ? <Remove account={account} credential={chosen} close={dialog.close} /> : null}
    </section>
  );
}

function Shown({ credential }: { readonly credential: Credential }) {
  const { t, when } = useTexts();
  const { type, createdAt, expiresAt, lastUsedAt, lastUsedFrom } = credential;
  const used =
    lastUsedFrom === null ? { when: when(lastUsedAt) } : { when: t('credentialUsedFrom', { when: when(lastUsedAt), from: lastUsedFrom }) };
  const end =
    expiresAt === null
      ? t('credentialForever')
      : t(isExpired(credential, Date.now()) ? 'credentialExpired' : 'credentialExpires', { when: when(expiresAt) });
  return (
    <div>
      {t(`credential_${type}`)} <code>{nameOf(credential)}</code>
      <Text c="dimmed" size="sm">
        {detailsOf(credential).map((line) => (
          <span key={line} className="wrap">
            {line}
            <br />
          </span>
        ))}
        {t('created')}: {when(createdAt)} · {lastUsedAt === null ? t('credentialUnused') : t('credentialUsed', used)} · {end}
      </Text>
    </div>
  );
}

/** The secret, this once, with the lines that a program reads. */
function NewSecret({ made, name, close }: { readonly made: NewCredential; readonly name: string; readonly close: () => void }) {
  const { t } = useTexts();
  const { clientId, clientSecret = '', type } = made;
  const { id } = useOwner();
  if (type === 'directory') {
    const address = `${window.location.origin}/scim/v2/${id}`;
    return (
      <Secret
        title={t('directoryTokenOf', { name })}
        values={{ address, token: clientSecret }}
        labels={{ address: t('scimAddress'), token: t('credential_directory') }}
        block={{ label: t('directoryLines'), text: `${address}\n${clientSecret}` }}
        file="tessera-directory-token.json"
        close={close}
      />
    );
  }
  const lines = [`TESSERA_URL=${window.location.origin}`, `TESSERA_CLIENT_ID=${clientId}`, `TESSERA_CLIENT_SECRET=${clientSecret}`].join(
    '\n',
  );
  return (
    <Secret
      title={t('secretOfService', { name })}
      values={{ clientId, clientSecret }}
      block={{ label: t('envLines'), text: lines }}
      file="tessera-service-account.json"
      close={close}
    />
  );
}

type RemoveProps = { readonly account: ServiceAccount; readonly credential: Credential; readonly close: () => void };

function Remove({ account: { id, credentials }, credential, close }: RemoveProps) {
  const { t, when } = useTexts();
  const { kind, removeCredential } = useOwner();
  const name = nameOf(credential);
  const texts =
    kind === 'organization'
      ? (['removeLastCredentialText', 'removeCredentialText'] as const)
      : (['removeLastCredentialTextPlain', 'removeCredentialTextPlain'] as const);
  const used = { when: credential.lastUsedAt === null ? t('never') : when(credential.lastUsedAt) };
  return (
    <Confirm
      title={t('removeCredential', { name })}
      text={t(texts[credentials.length === 1 ? 0 : 1], used)}
      button={t('remove')}
      name={name.replace('…', '')}
      said={t('deleted', { name })}
      run={() => removeCredential(id, credential.id)}
      close={close}
    />
  );
}

/** Three steps, each of which says whether it is done. */
function Rotation({ credentials }: { readonly credentials: readonly Credential[] }) {
  const { t, when } = useTexts();
  const rotation = rotationOf(credentials);
  if (rotation === undefined) return null;
  const { first, next, isSwitched } = rotation;
  const lastFour = next?.lastFour ?? '';
  const steps = [
    { text: next === undefined ? t('rotationMake') : t('rotationMade', { lastFour }), isDone: next !== undefined },
    {
      text:
        next === undefined
          ? t('rotationSwitch')
          : isSwitched
            ? t('rotationSwitched', { lastFour, when: when(next.lastUsedAt) })
            : t('rotationWaiting', { lastFour }),
      isDone: isSwitched,
    },
    { text: isSwitched ? t('rotationRemove', { lastFour: first.lastFour ?? '' }) : t('rotationRemoveLater'), isDone: false },
  ];
  return (
    <>
      <Title order={3} size="h5">
        {t('rotation')}
      </Title>
      <ol className="rotation" aria-label={t('rotation')}>
        {steps.map(({ text, isDone }) => (
          <li key={text}>
            {text} {isDone ? <Text span c="dimmed">{`(${t('stepDone')})`}</Text> : null}
          </li>
        ))}
      </ol>
    </>
  );
}
