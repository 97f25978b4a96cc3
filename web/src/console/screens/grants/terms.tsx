import { Checkbox, JsonInput, MultiSelect, NumberInput } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import { objectOf } from '../../parts/form/json.ts';
import { useOwnRoleChoice } from '../../parts/form/roles.ts';
import type { useDraft } from '../../parts/form/use-draft.ts';
import type { Grant } from './status.tsx';

const mostPeople = 1_000_000;

export type Terms = {
  /** All roles that are grantable; the chosen ones do not count then. */
  readonly hasAllRoles: boolean;
  readonly roleIds: readonly string[];
  readonly allowCustomRoles: boolean;
  /** Empty is any number. */
  readonly maxMembers: string;
  readonly metadata: string;
};

export function termsOf(grant?: Grant): Terms {
  return {
    hasAllRoles: (grant?.roleIds ?? null) === null,
    roleIds: grant?.roleIds ?? [],
    allowCustomRoles: grant?.allowCustomRoles ?? true,
    maxMembers: String(grant?.maxMembers ?? ''),
    metadata: JSON.stringify(grant?.metadata ?? {}, null, 2),
  };
}

/** As the API takes them. */
export function termsInput({ hasAllRoles, roleIds, allowCustomRoles, maxMembers, metadata }: Terms) {
  return {
    roleIds: hasAllRoles ? null : [...roleIds],
    allowCustomRoles,
    maxMembers: maxMembers === '' ? null : Number(maxMembers),
    metadata: objectOf(metadata) ?? {},
  };
}

type Draft = Pick<ReturnType<typeof useDraft<Terms, Grant>>, 'values' | 'set' | 'field'>;
type FieldsProps = { readonly draft: Draft; readonly isReadOnly?: boolean };

/** What the owner of a project lets a customer do in it. */
export function TermsFields({ draft, isReadOnly = false }: FieldsProps) {
  const { t } = useTexts();
  const roles = useOwnRoleChoice();
  const { values } = draft;
  const roleIds = draft.field('roleIds');
  const maxMembers = draft.field('maxMembers');
  return (
    <>
      <Checkbox
        label={t('allGrantable')}
        description={t('allGrantableHelp')}
        checked={values.hasAllRoles}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => draft.set('hasAllRoles', currentTarget.checked)}
      />
      {values.hasAllRoles ? null : (
        <MultiSelect
          {...roleIds}
          value={[...roleIds.value]}
          label={t('chosenRoles')}
          data={roles}
          readOnly={isReadOnly}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
        />
      )}
      <Checkbox
        label={t('allowCustomRoles')}
        description={t('allowCustomRolesHelp')}
        checked={values.allowCustomRoles}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => draft.set('allowCustomRoles', currentTarget.checked)}
      />
      <NumberInput
        {...maxMembers}
        onChange={(next) => draft.set('maxMembers', String(next))}
        label={t('maxMembers')}
        description={t('maxMembersHelp')}
        readOnly={isReadOnly}
        min={1}
        max={mostPeople}
        allowNegative={false}
        allowDecimal={false}
        hideControls
      />
      <JsonInput
        {...draft.field('metadata')}
        label={t('grantMetadata')}
        description={t('grantMetadataHelp')}
        readOnly={isReadOnly}
        autosize
        minRows={2}
        maxRows={10}
      />
    </>
  );
}
