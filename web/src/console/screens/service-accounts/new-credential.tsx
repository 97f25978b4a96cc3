import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import type { NewCredential, ServiceAccount } from './account.ts';
import { useOwner } from './owner.ts';
import { hasPrivatePart, issuerKinds, issuers, keysOf, nameOf, type ProofFields, proofOf, proofTypes, wrongClaim } from './proof.ts';

type FormProps = { readonly account: ServiceAccount; readonly close: () => void; readonly made: (credential: NewCredential) => void };

/** Makes a credential of a service account: a secret, its keys, or trust in an outer issuer. */
export function NewCredentialForm({ account: { id }, close, made }: FormProps) {
  const { t } = useTexts();
  const tell = useTell();
  const owner = useOwner();
  const draft = useDraft<ProofFields>({
    initial: { type: 'secret', days: '90', jwks: '', jwksUri: '', kind: 'github', audience: window.location.origin, ...issuers.github },
    serverFields: { expiresAt: 'days' },
    check: (fields) => checkOf(fields, t),
    send: async (fields) => {
      const credential = await owner.addCredential(id, proofOf(fields, Date.now()));
      if (credential.clientSecret === undefined) tell(t('credentialMade', { name: nameOf(credential) }));
      made(credential);
    },
    done: close,
  });
  const { type } = draft.values;
  const choices = ['7', '30', '90', '365'].map((days) => ({ value: days, label: t('inDays', { days }) }));
  const forever = type === 'directory' ? [] : [{ value: 'never', label: t('never') }];
  // SCIM is a door of organizations.
  const types = proofTypes.filter((value) => value !== 'directory' || owner.kind === 'organization');
  return (
    <FormDialog
      title={t('newCredential')}
      draft={draft}
      submit={t(type === 'secret' ? 'makeSecret' : type === 'directory' ? 'makeDirectoryToken' : 'addCredential')}
      close={close}
      size="lg"
    >
      <Select
        {...draft.field('type')}
        onChange={(value) => {
          const chosen = types.find((known) => known === value) ?? 'secret';
          // The usual time of a directory; its token always has an end.
          draft.change({ type: chosen, ...(chosen === 'directory' && { days: '365' }) });
        }}
        label={t('kind')}
        description={t(`credentialHelp_${type}`)}
        data={types.map((value) => ({ value, label: t(`credential_${value}`) }))}
        allowDeselect={false}
        data-autofocus
      />
      {type === 'jwks' ? <KeyFields draft={draft} /> : null}
      {type === 'trust' ? <TrustFields draft={draft} /> : null}
      <Select
        {...draft.field('days')}
        onChange={(days) => draft.set('days', days ?? '90')}
        label={t('expires')}
        description={t('credentialExpiryHelp')}
        data={[...choices, ...forever]}
        allowDeselect={false}
      />
    </FormDialog>
  );
}

type Draft = ReturnType<typeof useDraft<ProofFields>>;

function KeyFields({ draft }: { readonly draft: Draft }) {
  const { t } = useTexts();
  return (
    <>
      <Textarea
        {...draft.text('jwks')}
        label={t('jwks')}
        description={t('serviceKeysHelp')}
        placeholder={'{ "kty": "OKP", "crv": "Ed25519", "x": "…", "kid": "2026-11" }'}
        autosize
        minRows={3}
        maxRows={10}
        classNames={{ input: 'code' }}
      />
      <TextInput {...draft.text('jwksUri')} label={t('jwksUri')} placeholder="https://machine.example.com/jwks.json" autoComplete="off" />
    </>
  );
}

function TrustFields({ draft }: { readonly draft: Draft }) {
  const { t } = useTexts();
  return (
    <>
      <Select
        {...draft.field('kind')}
        onChange={(value) => {
          const kind = issuerKinds.find((known) => known === value) ?? 'other';
          draft.change({ kind, ...issuers[kind] });
        }}
        label={t('trustKind')}
        data={issuerKinds.map((value) => ({ value, label: t(`trust_${value}`) }))}
        allowDeselect={false}
      />
      <TextInput {...draft.text('issuer')} label={t('trustIssuer')} description={t('trustIssuerHelp')} autoComplete="off" />
      <TextInput {...draft.text('audience')} label={t('trustAudience')} description={t('trustAudienceHelp')} autoComplete="off" />
      <Textarea
        {...draft.text('claims')}
        label={t('trustClaims')}
        description={t('trustClaimsHelp')}
        autosize
        minRows={2}
        maxRows={10}
        classNames={{ input: 'code' }}
      />
      <Text size="sm" c="dimmed">
        {t('trustWarning')}
      </Text>
    </>
  );
}

function checkOf({ type, jwks, jwksUri, issuer, audience, claims }: ProofFields, t: ReturnType<typeof useTexts>['t']) {
  if (type === 'jwks') {
    const isGiven = jwks.trim() !== '';
    const keys = isGiven
      ? hasPrivatePart(jwks)
        ? t('keyIsPrivate')
        : keysOf(jwks) === undefined
          ? t('noSuchKeys')
          : undefined
      : jwksUri.trim() === ''
        ? t('enterServiceKeys')
        : undefined;
    return { jwks: keys ?? (isGiven && jwksUri.trim() !== '' ? t('keysOrAddress') : undefined) };
  }
  if (type !== 'trust') return {};
  const line = wrongClaim(claims);
  return {
    issuer: URL.canParse(issuer.trim()) ? undefined : t('enterIssuer'),
    audience: audience.trim() === '' ? t('enterAudience') : undefined,
    claims: claims.trim() === '' ? t('enterClaims') : line === undefined ? undefined : t('noSuchClaim', { line }),
  };
}
