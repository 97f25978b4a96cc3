import { Checkbox, MultiSelect, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { type Elevated, elevatedWords, type Fields, fieldsOf, type ServiceAccount, sentOf, wrongNetwork } from './account.ts';
import { useOwner } from './owner.ts';
import { useElevated, useRolesForMachines } from './roles.ts';

type EditProps = { readonly account?: ServiceAccount; readonly close: () => void; readonly made?: (account: ServiceAccount) => void };

const mostNetworks = 20;

/** Makes a service account, or changes one. */
export function Edit({ account, close, made }: EditProps) {
  const { t } = useTexts();
  const owner = useOwner();
  const roles = useRolesForMachines();
  const hasRoles = owner.kind !== 'platform';
  const draft = useDraft<Fields, ServiceAccount>({
    initial: fieldsOf(account),
    edits: account && {
      thing: account,
      show: fieldsOf,
      read: () => owner.read(account.id),
    },
    keepAs: `service account ${account?.id ?? owner.id}`,
    names: roles,
    check: ({ name, roleIds, allowedNetworks }) => {
      const network = wrongNetwork(allowedNetworks);
      return {
        name: name.trim() === '' ? t('enterAName') : undefined,
        roleIds: hasRoles && roleIds.length === 0 ? t('chooseRole') : undefined,
        allowedNetworks: network === undefined ? undefined : t('noSuchNetwork', { network }),
      };
    },
    send: async (fields, call) => {
      if (account === undefined) made?.(await owner.create(sentOf(fields)));
      else await owner.update(account.id, sentOf(fields), call);
    },
    // Made, its own page comes.
    done: account === undefined ? () => undefined : close,
  });
  return (
    <FormDialog
      title={t(account ? 'edit' : 'newServiceAccount')}
      draft={draft}
      submit={t(account ? 'save' : 'create')}
      close={close}
      size="lg"
    >
      <TextInput {...draft.text('name')} label={t('nameLabel')} description={t('serviceNameHelp')} data-autofocus autoComplete="off" />
      <Textarea {...draft.text('description')} label={t('description')} autosize minRows={1} maxRows={4} />
      {hasRoles ? (
        <MultiSelect
          {...draft.field('roleIds')}
          label={t('roles')}
          description={t(owner.kind === 'account' ? 'serviceRolesOfAccountHelp' : 'serviceRolesHelp')}
          data={roles}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
        />
      ) : null}
      {owner.kind === 'organization' ? (
        <ElevatedFields
          roleIds={draft.values.roleIds}
          elevated={draft.values.elevated}
          error={draft.field('elevated').error}
          change={(elevated) => draft.set('elevated', elevated)}
        />
      ) : null}
      <TagsInput
        {...draft.field('allowedNetworks')}
        label={t('allowedNetworks')}
        description={t('allowedNetworksHelp')}
        placeholder={draft.values.allowedNetworks.length === 0 ? '203.0.113.0/24' : ''}
        maxTags={mostNetworks}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
    </FormDialog>
  );
}

type ElevatedProps = {
  readonly roleIds: readonly string[];
  readonly elevated: readonly Elevated[];
  readonly error: string | undefined;
  readonly change: (elevated: Elevated[]) => void;
};

/** Of the operations that need a fresh sign-in those that the chosen roles hold. */
function ElevatedFields({ roleIds, elevated, error, change }: ElevatedProps) {
  const { t } = useTexts();
  const held = useElevated(roleIds) ?? [];
  // What is chosen already can be taken back, also when the roles have lost it.
  const offered = [...new Set([...held, ...elevated])];
  return (
    <Checkbox.Group
      label={t('elevated')}
      description={t('elevatedHelp')}
      error={error}
      value={[...elevated]}
      onChange={(values) => change(offered.filter((name) => values.includes(name)))}
    >
      <Stack gap="xs" mt="xs">
        {offered.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('elevatedNone')}
          </Text>
        ) : null}
        {offered.map((name) => (
          <Checkbox key={name} value={name} label={t(elevatedWords[name])} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
