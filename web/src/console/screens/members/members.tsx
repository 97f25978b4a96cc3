import { Badge, Button, JsonInput, Select, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Item, Output } from '@tessera/client';
import { useState } from 'react';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm, FormDialog } from '../../parts/form/dialogs.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { useRolesToGive } from '../../parts/form/roles.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { Named } from '../../parts/person/initials.tsx';
import { Invite } from './invite.tsx';
import { DoWithTicked, nameOf, type Ticked, tickPermissions, useTickedActions } from './ticked.tsx';

type Member = Item<'listOrganizationMembers'>;
const statuses = ['pending', 'accepted', 'expired', 'revoked'] as const;

export function Screen() {
  const { t } = useTexts();
  const { user } = useMe();
  const scope = useOrganization();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const tell = useTell();
  const queries = useQueryClient();
  const member = useItem('members', dialog.id, (ids) => tessera.listOrganizationMembers({ scope, ids }));
  const [ticked, setTicked] = useState<Ticked>();
  const actionsOfTicked = useTickedActions(setTicked);
  const mayInvite = may('OrganizationInvitation:Create');
  const invite = mayInvite ? <Button onClick={() => dialog.open('invite')}>{t('invite')}</Button> : null;
  const again = (run: Promise<Output<'renewInvitation'>>, said: string) =>
    void run.then(
      ({ isMailed, email }) => {
        if (isMailed) tell(said);
        else tell(t('notMailedSaid', { email }), 'failed');
        return queries.invalidateQueries({ queryKey: ['console'] });
      },
      (error: unknown) => tell(messageOf(error), 'failed'),
    );

  const actionsOf = ({ id, type, status, email }: Member) => {
    if (type === 'invitation') {
      const isOpen = status === 'pending';
      return allowed(
        [
          isOpen && may('OrganizationInvitation:ResendEmail'),
          {
            label: t('sendMailAgain'),
            run: () => again(tessera.resendInvitationEmail({ scope, id }), t('mailSent', { email: email ?? '' })),
          },
        ],
        [
          status !== 'accepted' && status !== 'revoked' && may('OrganizationInvitation:Renew'),
          { label: t('renew'), run: () => again(tessera.renewInvitation({ scope, id }), t('renewed')) },
        ],
        [
          isOpen && may('OrganizationInvitation:Revoke'),
          { label: t('revokeInvitation'), run: () => dialog.open('revoke', id), isDangerous: true },
        ],
      );
    }
    return allowed(
      [may('OrganizationMember:Update'), { label: t('changeRole'), run: () => dialog.open('role', id) }],
      [id === user.id, { label: t('leave'), run: () => dialog.open('leave', id), isDangerous: true }],
      [
        id !== user.id && may('OrganizationMember:Remove'),
        { label: t('removeMember'), run: () => dialog.open('remove', id), isDangerous: true },
      ],
    );
  };
  const mayTick = tickPermissions.some((permission) => may(permission));
  return (
    <>
      <Head title={t('members')} text={t('membersText')}>
        {invite}
      </Head>
      <List<Member>
        name="members"
        label={t('members')}
        icon="people"
        empty={t('noMembers')}
        load={(asked, filter) => {
          const status = statuses.find((one) => one === filter);
          return tessera.listOrganizationMembers({ scope, ...asked, ...(status === undefined ? {} : { status }) });
        }}
        filters={statuses.map((status) => ({ value: status, label: t('invitations', { status: t(status) }) }))}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: ({ id, name, email, type, directory }) => (
              <Named name={name ?? email}>
                {type === 'invitation' ? (
                  (name ?? (
                    <Text span inherit c="dimmed">
                      {t('invited')}
                    </Text>
                  ))
                ) : (
                  <NavigationLink to={pathOf(place, `members/${id}`)}>{name ?? '–'}</NavigationLink>
                )}
                {id === user.id ? (
                  <Badge variant="outline" ml="xs">
                    {t('you')}
                  </Badge>
                ) : null}
                {directory === null ? null : (
                  <Text size="sm" c="dimmed">
                    {t(directory.isDetached ? 'isDetached' : 'fromDirectory')}
                  </Text>
                )}
              </Named>
            ),
          },
          { label: t('emailShort'), sort: 'email', cell: ({ email }) => email ?? '–' },
          { label: t('role'), cell: ({ role }) => role?.name ?? '–' },
          {
            label: t('status'),
            cell: ({ status, invitation, isBlocked }) =>
              status === null ? (
                isBlocked ? (
                  <Badge variant="outline">{t('isBlocked')}</Badge>
                ) : (
                  t('member')
                )
              ) : (
                <Badge variant="light" color="gray">
                  {status === 'pending' && invitation?.isMailed === false ? `${t(status)}, ${t('notMailed')}` : t(status)}
                </Badge>
              ),
          },
          { label: t('since'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={actionsOf}
        choosing={
          mayTick
            ? {
                nameOf,
                actions: actionsOfTicked,
              }
            : undefined
        }
        csv={{
          file: 'members',
          columns: [
            ['id', ({ id }) => id],
            ['type', ({ type }) => type],
            ['name', ({ name }) => name],
            ['email', ({ email }) => email],
            ['roleId', ({ role }) => role?.id],
            ['roleName', ({ role }) => role?.name],
            ['status', ({ status }) => status],
            ['isBlocked', ({ isBlocked }) => String(isBlocked)],
            ['createdAt', ({ createdAt }) => createdAt],
            ['expiresAt', ({ invitation }) => invitation?.expiresAt],
          ],
        }}
      />
      {ticked === undefined ? null : <DoWithTicked {...ticked} close={() => setTicked(undefined)} />}
      {dialog.name === 'invite' && mayInvite ? <Invite close={dialog.close} /> : null}
      {dialog.name === 'role' && member ? <ChangeRole member={member} close={dialog.close} /> : null}
      {member ? <End what={dialog.name} member={member} close={dialog.close} /> : null}
    </>
  );
}

type EndProps = { readonly what: string | undefined; readonly member: Member; readonly close: () => void };

/** What ends a membership or an invitation. */
function End({ what, member, close }: EndProps) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const scope = useOrganization();
  const who = nameOf(member);
  if (what === 'revoke') {
    return (
      <Confirm
        title={t('revokeInvitation')}
        text={t('revokeInvitationText', { who })}
        button={t('revokeInvitation')}
        said={t('revokedSaid')}
        run={() => tessera.revokeInvitation({ scope, id: member.id })}
        close={close}
      />
    );
  }
  const remove = () => tessera.removeOrganizationMember({ scope, userId: member.id });
  if (what === 'leave') {
    return (
      <Confirm
        title={t('leave')}
        text={t('leaveText')}
        button={t('leave')}
        name={who}
        said={t('left')}
        run={remove}
        close={close}
        done={() => void navigate({ to: '/console' })}
      />
    );
  }
  if (what !== 'remove') return null;
  return (
    <Confirm
      title={t('removeNamed', { name: who })}
      text={t('removeText')}
      button={t('removeMember')}
      name={who}
      said={t('removed', { name: who })}
      run={remove}
      close={close}
    />
  );
}

function roleOf({ role, metadata }: Member) {
  return { roleId: role?.id ?? null, metadata: JSON.stringify(metadata, null, 2) };
}

function ChangeRole({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useOrganization();
  const roles = useRolesToGive(scope);
  const draft = useDraft({
    initial: roleOf(member),
    edits: {
      thing: member,
      show: roleOf,
      read: async () => (await tessera.listOrganizationMembers({ scope, ids: [member.id] })).items[0],
    },
    names: roles,
    check: ({ metadata }) => ({ metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined }),
    send: ({ roleId, metadata }, call) => {
      const before = roleOf(member);
      const role = roleId === null || roleId === before.roleId ? {} : { roleId };
      const recorded = metadata === before.metadata ? {} : { metadata: objectOf(metadata) ?? {} };
      return tessera.updateOrganizationMember({ scope, userId: member.id, ...role, ...recorded }, call);
    },
    done: close,
  });
  return (
    <FormDialog title={t('roleOf', { name: member.name ?? '' })} draft={draft} submit={t('save')} close={close}>
      <Select {...draft.field('roleId')} label={t('role')} data={roles} allowDeselect={false} />
      <JsonInput
        {...draft.field('metadata')}
        label={t('memberMetadata')}
        description={t('memberMetadataHelp')}
        autosize
        minRows={2}
        maxRows={10}
      />
    </FormDialog>
  );
}
