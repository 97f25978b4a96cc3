import { Checkbox, MultiSelect, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { idTokenAlgorithms } from '@tessera/rules/app-types';
import { optionsQuery, tessera } from '../../../session/tessera.ts';
import { useRights } from '../../base/rights.ts';
import { useProject } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { useKeyRoleChoice, useOwnRoleChoice } from '../../parts/form/roles.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import {
  type App,
  changeOf,
  clientOf,
  creationOf,
  type Fields,
  fieldsOf,
  grantsOf,
  type Kind,
  kinds,
  methodsOf,
  signsItself,
} from './fields.ts';

export type NewApp = Output<'createProjectApp'>;
type EditProps = { readonly app?: App; readonly close: () => void; readonly made?: (app: NewApp) => void };

/** A new app, or the change of one. The kind decides which fields there are. */
export function Edit({ app, close, made }: EditProps) {
  const { t } = useTexts();
  const scope = useProject();
  const draft = useDraft<Fields, App>({
    initial: fieldsOf(app),
    edits: app && {
      thing: app,
      show: fieldsOf,
      read: async () => (await tessera.listProjectApps({ scope, ids: [app.id] })).items[0],
    },
    keepAs: `app ${app?.id ?? scope.id}`,
    check: useFaults(),
    serverFields: { type: 'kind' },
    send: async (fields, call) => {
      if (app === undefined) made?.(await tessera.createProjectApp({ scope, ...creationOf(fields) }));
      else await tessera.updateProjectApp({ scope, id: app.id, ...changeOf(app, fields) }, call);
    },
    done: close,
  });
  const { kind } = draft.values;
  return (
    <FormDialog
      title={app ? t('editNamed', { name: app.name }) : t('newApp')}
      draft={draft}
      submit={t(app ? 'save' : 'create')}
      close={close}
      size="lg"
    >
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      {app ? null : (
        <Select
          label={t('appType')}
          description={t(`appType_${kind}_text`)}
          data={kinds.map((value) => ({ value, label: t(`appType_${value}`) }))}
          value={kind}
          allowDeselect={false}
          onChange={(next) => draft.reset({ ...draft.values, kind: next as Kind, ...clientOf(next as Kind) })}
        />
      )}
      {kind === 'machine' ? <MachineFields draft={draft} /> : <PeopleFields draft={draft} />}
      {kind === 'none' ? null : <ClientFields draft={draft} />}
    </FormDialog>
  );
}

type Draft = ReturnType<typeof useDraft<Fields, App>>;
type PartProps = { readonly draft: Draft };

function MachineFields({ draft }: PartProps) {
  const { t } = useTexts();
  const roles = useKeyRoleChoice();
  const { tenant } = useProject();
  return (
    <>
      <Select {...draft.field('roleId')} label={t('role')} description={t('machineRoleHelp')} data={roles} searchable />
      {tenant === 'organizationProject' ? (
        <Check draft={draft} name="actsInGrants" label={t('actsInGrants')} description={t('actsInGrantsHelp')} />
      ) : null}
    </>
  );
}

/** Where people come back to, what the app may do for them, and who they are. */
function PeopleFields({ draft }: PartProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const roles = useOwnRoleChoice();
  const scopes = useScopeChoice();
  const { data: options } = useQuery(optionsQuery);
  const { tenant } = useProject();
  const { values } = draft;
  const takesOrganizations = values.kind !== 'none' && tenant === 'organizationProject' && may('ProjectGrant:Create');
  const ways = [...(options?.providers ?? []).map(({ name, label }) => ({ value: name, label })), { value: 'email', label: t('email') }];
  return (
    <>
      <TagsInput {...draft.field('redirectUris')} label={t('redirectUris')} description={t('redirectHelp')} acceptValueOnBlur />
      <TagsInput {...draft.field('scopes')} label={t('scopes')} description={t('scopesHelp')} data={scopes} acceptValueOnBlur />
      <MultiSelect
        {...draft.field('enabledProviders')}
        label={t('waysToSignIn')}
        description={t('enabledProvidersHelp')}
        data={ways}
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
      <Check draft={draft} name="allowSignUp" label={t('allowSignUp')} excludes="allowOrganizationSignUp" />
      {values.allowSignUp ? <Select {...draft.field('signUpRoleId')} label={t('signUpRole')} data={roles} searchable /> : null}
      {takesOrganizations ? (
        <Check
          draft={draft}
          name="allowOrganizationSignUp"
          label={t('allowOrganizationSignUp')}
          description={t('allowOrganizationSignUpHelp')}
          excludes="allowSignUp"
        />
      ) : null}
      {values.kind === 'none' ? null : (
        <>
          <Check draft={draft} name="allowEmailCode" label={t('allowEmailCode')} description={t('allowEmailCodeHelp')} />
          <Check draft={draft} name="requireSecondFactor" label={t('requireSecondFactor')} />
          {may('User:ExportData') ? (
            <Check draft={draft} name="isFirstParty" label={t('isFirstParty')} description={t('isFirstPartyHelp')} />
          ) : null}
        </>
      )}
    </>
  );
}

type CheckProps = PartProps & {
  readonly name: Switch;
  readonly label: string;
  readonly description?: string;
  /** The app has one of both. */
  readonly excludes?: Switch;
};
type Switch =
  | ('allowSignUp' | 'allowEmailCode' | 'allowOrganizationSignUp')
  | 'requireSecondFactor'
  | 'isFirstParty'
  | 'requirePkce'
  | 'actsInGrants'
  | 'dpopBoundAccessTokens';

function Check({ draft, name, excludes, ...shown }: CheckProps) {
  const change = (isChecked: boolean) =>
    draft.change({ [name]: isChecked, ...(isChecked && excludes !== undefined ? { [excludes]: false } : {}) });
  return <Checkbox {...shown} checked={draft.values[name]} onChange={({ currentTarget }) => change(currentTarget.checked)} />;
}

/** How the app proves who it is, by which grants it gets tokens, and where it learns of an end. */
function ClientFields({ draft }: PartProps) {
  const { t } = useTexts();
  const { values } = draft;
  const methods = methodsOf(values.kind);
  const grants = grantsOf(values.kind);
  return (
    <details className="more" open={signsItself(values)}>
      <summary>{t('moreSettings')}</summary>
      <div className="more-fields">
        {methods.length > 1 ? (
          <Select
            {...draft.field('tokenEndpointAuthMethod')}
            onChange={(method) => method && draft.set('tokenEndpointAuthMethod', method)}
            label={t('authMethod')}
            data={[...methods]}
            allowDeselect={false}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {t('publicClient')}
          </Text>
        )}
        {signsItself(values) ? (
          <>
            <Text size="sm">{t('keysHelp')}</Text>
            <Textarea {...draft.text('jwks')} label={t('jwks')} autosize minRows={3} maxRows={10} classNames={{ input: 'code' }} />
            <TextInput {...draft.text('jwksUri')} label={t('jwksUri')} autoComplete="off" />
          </>
        ) : null}
        {grants.length > 1 ? <MultiSelect {...draft.field('grantTypes')} label={t('grantTypes')} data={[...grants]} /> : null}
        <TagsInput
          {...draft.field('mayAct')}
          label={t('mayAct')}
          description={t('mayActHelp')}
          acceptValueOnBlur
          clearButtonProps={{ 'aria-label': t('clear') }}
        />
        <Check draft={draft} name="dpopBoundAccessTokens" label={t('dpopBound')} description={t('dpopBoundHelp')} />
        {values.kind === 'web' ? (
          <Check draft={draft} name="requirePkce" label={t('requirePkce')} description={t('requirePkceHelp')} />
        ) : null}
        {values.kind === 'machine' ? null : (
          <>
            <Select
              {...draft.field('idTokenSignedResponseAlg')}
              onChange={(algorithm) => algorithm && draft.set('idTokenSignedResponseAlg', algorithm)}
              label={t('idTokenAlgorithm')}
              description={t('idTokenAlgorithmHelp')}
              data={[...idTokenAlgorithms]}
              allowDeselect={false}
            />
            <TagsInput
              {...draft.field('postLogoutRedirectUris')}
              label={t('postLogoutUris')}
              description={t('postLogoutHelp')}
              acceptValueOnBlur
            />
            <TextInput
              {...draft.text('backchannelLogoutUri')}
              label={t('backchannelUri')}
              description={t('backchannelHelp')}
              autoComplete="off"
            />
          </>
        )}
      </div>
    </details>
  );
}

function useFaults() {
  const { t } = useTexts();
  return (fields: Fields) => {
    const { name, kind, redirectUris, grantTypes, roleId, allowSignUp, signUpRoleId, jwks, jwksUri } = fields;
    const isRedirected = kind === 'none' || grantTypes.includes('authorization_code');
    const isMachine = kind === 'machine';
    const keys = [jwks, jwksUri].filter((text) => text.trim() !== '').length;
    return {
      name: name.trim() === '' ? t('enterAName') : undefined,
      roleId: isMachine && roleId === null ? t('chooseRole') : undefined,
      redirectUris: !isMachine && isRedirected && redirectUris.length === 0 ? t('enterRedirectUri') : undefined,
      signUpRoleId: !isMachine && allowSignUp && signUpRoleId === null ? t('chooseRole') : undefined,
      jwks: signsItself(fields) && (keys !== 1 || objectOf(jwks) === undefined) ? t('enterKeys') : undefined,
    };
  };
}

/** What an app can be given: each action of the project's own resources. */
export function useScopeChoice(): string[] {
  const scope = useProject();
  const { data } = useQuery({
    queryKey: ['console', 'scope choice', scope.id],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100 })),
  });
  return (data ?? []).filter(({ isBuiltIn }) => !isBuiltIn).flatMap(({ slug, actions }) => actions.map((action) => `${slug}:${action}`));
}
