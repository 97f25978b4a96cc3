import { PasswordInput, Select, TextInput } from '@mantine/core';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { useRoles } from './connection.ts';

/** What the issuer of a provider looks like. */
const issuers = {
  entra: 'https://login.microsoftonline.com/TENANT-ID/v2.0',
  okta: 'https://COMPANY.okta.com',
  google: 'https://accounts.google.com',
  other: 'https://login.example.com',
} as const;
const providers = Object.keys(issuers) as (keyof typeof issuers)[];
const names: Readonly<Record<string, string>> = { entra: 'Microsoft Entra ID', okta: 'Okta', google: 'Google' };

type Props = { readonly close: () => void; readonly made: (connection: { readonly id: string }) => void };

/** A draft: nobody signs in by it until it is switched on. */
export function NewConnection({ close, made }: Props) {
  const { t } = useTexts();
  const scope = useOrganization();
  const roles = useRoles();
  const draft = useDraft({
    initial: { name: '', type: 'oidc', provider: 'other', issuer: '', clientId: '', clientSecret: '', defaultRoleId: '' },
    serverFields: { 'oidc.issuer': 'issuer', 'oidc.clientId': 'clientId', 'oidc.clientSecret': 'clientSecret' },
    check: ({ name, type, issuer, clientId, clientSecret, defaultRoleId }) => {
      const isEmpty = (value: string) => type === 'oidc' && value.trim() === '';
      return {
        name: name.trim() === '' ? t('enterAName') : undefined,
        issuer: isEmpty(issuer) ? t('enterThis') : undefined,
        clientId: isEmpty(clientId) ? t('enterThis') : undefined,
        clientSecret: isEmpty(clientSecret) ? t('enterThis') : undefined,
        defaultRoleId: defaultRoleId === '' ? t('chooseRole') : undefined,
      };
    },
    send: async ({ name, type, issuer, clientId, clientSecret, defaultRoleId }) => {
      const fields = { scope, name: name.trim(), defaultRoleId };
      const oidc = { issuer: issuer.trim(), clientId: clientId.trim(), clientSecret: clientSecret.trim() };
      made(await tessera.createConnection(type === 'saml' ? { ...fields, type: 'saml' } : { ...fields, type: 'oidc', oidc }));
    },
  });
  const { type, provider } = draft.values;
  const example = issuers[providers.find((one) => one === provider) ?? 'other'];
  return (
    <FormDialog title={t('newConnection')} draft={draft} submit={t('create')} close={close} size="lg">
      <Select
        {...draft.field('type')}
        onChange={(value) => draft.set('type', value ?? 'oidc')}
        label={t('kind')}
        description={t('connectionKindHelp')}
        data={(['oidc', 'saml'] as const).map((value) => ({ value, label: t(`connection_${value}`) }))}
        allowDeselect={false}
        data-autofocus
      />
      <TextInput {...draft.text('name')} label={t('nameLabel')} description={t('connectionNameHelp')} autoComplete="off" />
      {type === 'oidc' ? (
        <>
          <Select
            {...draft.field('provider')}
            onChange={(value) => draft.change({ provider: value ?? 'other', ...(value === 'google' ? { issuer: issuers.google } : {}) })}
            label={t('upstreamProvider')}
            data={providers.map((value) => ({ value, label: names[value] ?? t('anotherProvider') }))}
            allowDeselect={false}
          />
          <TextInput
            {...draft.text('issuer')}
            label={t('issuer')}
            description={t('issuerHelp')}
            placeholder={example}
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            {...draft.text('clientId')}
            label={t('clientId')}
            description={t('connectionClientHelp')}
            autoComplete="off"
            spellCheck={false}
          />
          <PasswordInput
            {...draft.text('clientSecret')}
            label={t('connectionSecret')}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('showConnectionSecret') }}
          />
        </>
      ) : null}
      <Select
        {...draft.field('defaultRoleId')}
        value={draft.values.defaultRoleId || null}
        onChange={(value) => draft.set('defaultRoleId', value ?? '')}
        label={t('connectionRole')}
        description={t('connectionRoleHelp')}
        data={roles.map(({ id, name }) => ({ value: id, label: name }))}
        allowDeselect={false}
      />
    </FormDialog>
  );
}
