import { Select } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { type OrganizationScope, useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Several } from '../../parts/bulk/several.tsx';
import { useRolesToGive } from '../../parts/form/roles.ts';
import { type Action, allowed } from '../../parts/list/actions.ts';

type Member = Item<'listOrganizationMembers'>;
/** What is to be done with which rows, as they were when it was chosen, and where that was. */
export type Ticked = {
  readonly what: 'role' | 'remove' | 'resend' | 'renew' | 'revoke';
  readonly scope: OrganizationScope;
  readonly members: readonly Member[];
  readonly forget: () => void;
};

export const tickPermissions = [
  'OrganizationMember:Update',
  'OrganizationMember:Remove',
  'OrganizationInvitation:ResendEmail',
  'OrganizationInvitation:Renew',
  'OrganizationInvitation:Revoke',
] as const;

export function nameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email ?? '';
}

/** What tells people of one name apart. */
const labelOf = ({ name, email }: Member): string => (name === null || email === null ? nameOf({ name, email }) : `${name} (${email})`);

/** What the menus of all these rows offer. Not to oneself: who gives up a role can not go on. */
export function useTickedActions(open: (ticked: Ticked) => void) {
  const { t } = useTexts();
  const { user } = useMe();
  const { may } = useRights();
  const scope = useOrganization();
  return (members: readonly Member[], forget: () => void): Action[] => {
    const areOthers = members.every(({ id, type }) => type === 'member' && id !== user.id);
    const are = (...known: readonly Member['status'][]) =>
      members.every(({ type, status }) => type === 'invitation' && known.includes(status));
    const start = (what: Ticked['what']) => () => open({ what, scope, members, forget });
    return allowed(
      [areOthers && may('OrganizationMember:Update'), { label: t('changeRole'), run: start('role') }],
      [areOthers && may('OrganizationMember:Remove'), { label: t('removeMember'), run: start('remove'), isDangerous: true }],
      [are('pending') && may('OrganizationInvitation:ResendEmail'), { label: t('sendMailAgain'), run: start('resend') }],
      [are('pending', 'expired') && may('OrganizationInvitation:Renew'), { label: t('renew'), run: start('renew') }],
      [are('pending') && may('OrganizationInvitation:Revoke'), { label: t('revokeInvitation'), run: start('revoke'), isDangerous: true }],
    );
  };
}

type DoProps = Ticked & { readonly close: () => void };

export function DoWithTicked({ what, scope, members, forget, close }: DoProps) {
  const { t, count } = useTexts();
  const things = members.map((member) => ({ id: member.id, name: labelOf(member) }));
  const number = { count: count(things.length) };
  const common = { things, close, done: forget };
  if (what === 'role') return <ChangeRoles scope={scope} members={members} close={close} done={forget} />;
  if (what === 'remove') {
    return (
      <Several
        {...common}
        title={t('removeMany', number)}
        textOf={(who) => t('removeManyText', { who })}
        button={t('removeMember')}
        word={t('removeManyWord', number)}
        isToEnd
        send={({ id }) => tessera.removeOrganizationMember({ scope, userId: id })}
      />
    );
  }
  if (what === 'revoke') {
    return (
      <Several
        {...common}
        title={t('revokeMany', number)}
        textOf={(who) => t('revokeManyText', { who })}
        button={t('revokeInvitation')}
        isToEnd
        send={({ id }) => tessera.revokeInvitation({ scope, id })}
      />
    );
  }
  const isRenewal = what === 'renew';
  return (
    <Several
      {...common}
      title={t(isRenewal ? 'renewMany' : 'resendMany', number)}
      textOf={(who) => t(isRenewal ? 'renewManyText' : 'resendManyText', { who })}
      button={t(isRenewal ? 'renew' : 'sendMailAgain')}
      isHarmless
      send={({ id }) => (isRenewal ? tessera.renewInvitation({ scope, id }) : tessera.resendInvitationEmail({ scope, id }))}
    />
  );
}

type ChangeRolesProps = Pick<Ticked, 'scope' | 'members'> & { readonly close: () => void; readonly done: () => void };

function ChangeRoles({ scope, members, close, done }: ChangeRolesProps) {
  const { t, count } = useTexts();
  const roles = useRolesToGive(scope);
  const [roleId, setRoleId] = useState<string | null>(null);
  return (
    <Several
      title={t('changeRoleMany', { count: count(members.length) })}
      textOf={(who) => t('changeRoleManyText', { who })}
      button={t('changeRole')}
      things={members.map((member) => ({ id: member.id, name: labelOf(member), member }))}
      isHarmless
      isReady={roleId !== null}
      // A role that another administrator has given since the list was read stays.
      send={({ id, member }) => tessera.updateOrganizationMember({ scope, userId: id, roleId: roleId ?? '' }, { ifMatch: member })}
      close={close}
      done={done}
    >
      <Select label={t('role')} data={roles} value={roleId} onChange={setRoleId} data-autofocus comboboxProps={{ withinPortal: true }} />
    </Several>
  );
}
