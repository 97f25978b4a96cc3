import { Button, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Notice, Problem } from '../../look/page.tsx';
import { useForm } from '../../parts/form.ts';
import { tessera } from '../../session/tessera.ts';
import { useWords } from '../../words/language.tsx';
import { Part, ToCopy } from './part.tsx';
import { ProviderPicture } from './picture.tsx';
import { type Kind, kinds, type Provider, providers } from './providers.ts';
import type { SetUpState } from './set-up.tsx';

type ConnectionProps = { readonly setUp: SetUpState; readonly saved: (next: SetUpState) => void };

export function SetUpConnection({ setUp, saved }: ConnectionProps) {
  const { t } = useWords();
  const { connection, organization } = setUp;
  const [provider, setProvider] = useState<Provider>('entra');
  const [kind, setKind] = useState<Kind>(connection?.type === 'saml' ? 'Saml' : 'Oidc');
  return (
    <Part number={2} title={t('setUpProvider')}>
      <Choice label={t('setUpWhich')} name="provider" options={providers} chosen={provider} choose={setProvider} other={t('setUpOther')} />
      <Choice label={t('setUpHow')} name="kind" options={kinds} chosen={kind} choose={setKind} other="" />
      <Text fw={500}>{t('setUpEnter')}</Text>
      <Text>{t(`${provider}${kind}1`)}</Text>
      {kind === 'Oidc' ? (
        <ToCopy name="Redirect URI" value={setUp.callbackUrl} />
      ) : (
        <>
          <ToCopy name="Entity ID" value={setUp.spEntityId} />
          <ToCopy name="ACS URL" value={setUp.acsUrl} />
        </>
      )}
      <ProviderPicture provider={provider} kind={kind} setUp={setUp} />
      <Text className="wrap">{t(`${provider}${kind}2`)}</Text>
      <Text fw={500}>{t('setUpGiven')}</Text>
      {kind === 'Oidc' ? <OidcForm setUp={setUp} saved={saved} /> : <SamlForm setUp={setUp} saved={saved} />}
      {connection === null ? null : <Notice>{t('setUpSaved', { organization })}</Notice>}
    </Part>
  );
}

type ChoiceProps<Option extends string> = {
  readonly label: string;
  readonly name: string;
  readonly options: Readonly<Record<Option, string>>;
  readonly chosen: Option;
  readonly choose: (option: Option) => void;
  /** What an option without a name of its own is called. */
  readonly other: string;
};

function Choice<Option extends string>({ label, name, options, chosen, choose, other }: ChoiceProps<Option>) {
  return (
    <fieldset className="kinds">
      <legend>{label}</legend>
      {(Object.keys(options) as Option[]).map((option) => (
        <label key={option}>
          <input type="radio" name={name} checked={chosen === option} onChange={() => choose(option)} />
          {options[option] || other}
        </label>
      ))}
    </fieldset>
  );
}

const needed = (value: string) => (value.trim() === '' ? ('setUpNeeded' as const) : undefined);

function OidcForm({ setUp: { id, connection }, saved }: ConnectionProps) {
  const { t } = useWords();
  const known = connection?.oidc ?? null;
  const { form, field, problem, isPending } = useForm({
    initial: { name: connection?.name ?? '', issuer: known?.issuer ?? '', clientId: known?.clientId ?? '', clientSecret: '' },
    check: { name: needed, issuer: needed, clientId: needed, ...(known === null ? { clientSecret: needed } : {}) },
    serverFields: { name: 'name', 'oidc.issuer': 'issuer', 'oidc.clientId': 'clientId', 'oidc.clientSecret': 'clientSecret' },
    send: async ({ name, issuer, clientId, clientSecret }) => {
      const secret = clientSecret === '' ? {} : { clientSecret };
      const oidc = { issuer: issuer.trim(), clientId: clientId.trim(), ...secret };
      saved(await tessera.saveSetUpConnection({ id, type: 'oidc', name: name.trim(), oidc }));
    },
  });
  return (
    <form {...form}>
      <Stack gap="sm">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('name')} label={t('setUpName')} description={t('setUpNameHelp')} maxLength={200} autoComplete="off" />
        <TextInput
          {...field('issuer')}
          label={t('setUpIssuer')}
          placeholder="https://"
          maxLength={1_000}
          autoComplete="off"
          inputMode="url"
        />
        <TextInput {...field('clientId')} label={t('setUpClientId')} maxLength={500} autoComplete="off" spellCheck={false} />
        <PasswordInput
          {...field('clientSecret')}
          label={t('setUpClientSecret')}
          {...(known === null ? {} : { description: t('setUpSecretKept') })}
          maxLength={1_000}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
        />
        <Button type="submit" loading={isPending}>
          {t('setUpSave')}
        </Button>
      </Stack>
    </form>
  );
}

function SamlForm({ setUp: { id, connection }, saved }: ConnectionProps) {
  const { t } = useWords();
  const { form, field, problem, isPending, values } = useForm({
    initial: { name: connection?.name ?? '', metadataUrl: '', metadataXml: '' },
    check: { name: needed },
    serverFields: { name: 'name', saml: 'metadataUrl', 'saml.metadataUrl': 'metadataUrl', 'saml.metadataXml': 'metadataXml' },
    send: async ({ name, metadataUrl, metadataXml }) => {
      const url = metadataUrl.trim() === '' ? {} : { metadataUrl: metadataUrl.trim() };
      const saml = { ...url, ...(metadataXml.trim() === '' ? {} : { metadataXml }) };
      saved(await tessera.saveSetUpConnection({ id, type: 'saml', name: name.trim(), saml }));
    },
  });
  const xml = field('metadataXml');
  return (
    <form {...form}>
      <Stack gap="sm">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('name')} label={t('setUpName')} description={t('setUpNameHelp')} maxLength={200} autoComplete="off" />
        <TextInput {...field('metadataUrl')} label={t('setUpMetadataUrl')} placeholder="https://" maxLength={1_000} autoComplete="off" />
        <Textarea
          name={xml.name}
          value={values.metadataXml}
          error={xml.error}
          onChange={({ currentTarget: { value } }) => xml.onChange({ currentTarget: { value } as HTMLInputElement })}
          label={t('setUpMetadataXml')}
          rows={4}
          spellCheck={false}
        />
        <Button type="submit" loading={isPending}>
          {t('setUpSave')}
        </Button>
      </Stack>
    </form>
  );
}
