import { PasswordInput, SegmentedControl, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { type Connection, useRoles } from './connection.ts';

type Props = { readonly connection: Connection; readonly close: () => void };

/** Name, client and default role. The issuer never changes. */
export function Edit({ connection, close }: Props) {
  const { t } = useTexts();
  const scope = useOrganization();
  const roles = useRoles();
  const isOidc = connection.oidc !== null;
  const draft = useDraft({
    initial: fieldsOf(connection),
    edits: { thing: connection, show: fieldsOf, read: () => tessera.getConnection({ scope, id: connection.id }) },
    names: roles.map(({ id, name }) => ({ value: id, label: name })),
    serverFields: { 'oidc.clientId': 'clientId', 'oidc.clientSecret': 'clientSecret', 'oidc.scopes': 'scopes' },
    check: ({ name, clientId }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      clientId: isOidc && clientId.trim() === '' ? t('enterThis') : undefined,
    }),
    send: (values, call) => tessera.updateConnection({ scope, id: connection.id, ...changesOf(connection, values) }, call),
    done: close,
  });
  return (
    <FormDialog title={t('edit')} draft={draft} submit={t('save')} close={close} size="lg">
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      {isOidc ? (
        <>
          <TextInput {...draft.text('clientId')} label={t('clientId')} autoComplete="off" spellCheck={false} />
          <PasswordInput
            {...draft.text('clientSecret')}
            label={t('newConnectionSecret')}
            description={t('newConnectionSecretHelp')}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('showConnectionSecret') }}
          />
          <TagsInput
            {...draft.field('scopes')}
            label={t('scopes')}
            description={t('connectionScopesHelp')}
            splitChars={[',', ' ']}
            acceptValueOnBlur
            maxTags={20}
            clearButtonProps={{ 'aria-label': t('clear') }}
          />
        </>
      ) : null}
      <Select
        {...draft.field('defaultRoleId')}
        onChange={(value) => draft.set('defaultRoleId', value ?? '')}
        label={t('connectionRole')}
        description={t('connectionRoleHelp')}
        data={roles.map(({ id, name }) => ({ value: id, label: name }))}
        allowDeselect={false}
      />
    </FormDialog>
  );
}

function fieldsOf({ name, oidc, defaultRoleId }: Connection) {
  return { name, clientId: oidc?.clientId ?? '', clientSecret: '', scopes: [...(oidc?.scopes ?? [])], defaultRoleId };
}

/**
 * What was changed alone: another client is asked about at the server. The role always: who saves it
 * vouches for it, where who chose it could not give it any more.
 */
function changesOf({ oidc, name }: Connection, values: ReturnType<typeof fieldsOf>) {
  const clientId = values.clientId.trim();
  const secret = values.clientSecret.trim();
  const client = {
    ...(oidc !== null && clientId !== oidc.clientId ? { clientId } : {}),
    ...(oidc !== null && secret !== '' ? { clientSecret: secret } : {}),
    ...(oidc !== null && values.scopes.join(' ') !== oidc.scopes.join(' ') ? { scopes: values.scopes } : {}),
  };
  return {
    ...(values.name.trim() === name ? {} : { name: values.name.trim() }),
    ...(Object.keys(client).length === 0 ? {} : { oidc: client }),
    defaultRoleId: values.defaultRoleId,
  };
}

/** Of SAML: what the provider publishes of itself. */
export function Metadata({ connection, close }: Props) {
  const { t } = useTexts();
  const scope = useOrganization();
  const draft = useDraft({
    initial: { by: 'url', metadataUrl: connection.saml?.metadataUrl ?? '', metadataXml: '' },
    serverFields: { 'saml.metadataUrl': 'metadataUrl', 'saml.metadataXml': 'metadataXml', saml: 'metadataXml' },
    check: ({ by, metadataUrl, metadataXml }) => ({
      metadataUrl: by === 'url' && metadataUrl.trim() === '' ? t('enterThis') : undefined,
      metadataXml: by === 'xml' && metadataXml.trim() === '' ? t('enterThis') : undefined,
    }),
    send: ({ by, metadataUrl, metadataXml }) => {
      const saml = by === 'url' ? { metadataUrl: metadataUrl.trim() } : { metadataXml };
      return tessera.updateConnection({ scope, id: connection.id, saml }, { ifMatch: connection });
    },
    done: close,
  });
  return (
    <FormDialog title={t('metadataOfProvider')} draft={draft} submit={t('save')} close={close} size="lg">
      <Text size="sm">{t('providerMetadataHelp')}</Text>
      <SegmentedControl
        {...draft.field('by')}
        aria-label={t('metadataOfProvider')}
        data={[
          { value: 'url', label: t('metadataByUrl') },
          { value: 'xml', label: t('metadataByXml') },
        ]}
      />
      {draft.values.by === 'url' ? (
        <TextInput
          {...draft.text('metadataUrl')}
          label={t('metadataByUrl')}
          placeholder="https://login.example.com/metadata.xml"
          data-autofocus
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <Textarea
          {...draft.text('metadataXml')}
          label={t('metadataByXml')}
          autosize
          minRows={5}
          maxRows={12}
          spellCheck={false}
          classNames={{ input: 'code' }}
        />
      )}
    </FormDialog>
  );
}
