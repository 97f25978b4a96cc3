import { JsonInput, MultiSelect, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Input, Item } from '@tessera/client';
import { type ComponentProps, useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { Modal } from '../../base/modal.tsx';
import { useGrantOf, useIsGrantPending } from '../../base/project.ts';
import { useRights, useRightsIn } from '../../base/rights.ts';
import { parentScopeOf, pathOf, usePlaceHere, useProject } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm, FormDialog } from '../../parts/form/dialogs.tsx';
import { CreateButton } from '../../parts/form/edit.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { Picture } from '../../parts/form/picture.tsx';
import { useOwnRoleChoice } from '../../parts/form/roles.ts';
import { Tagging } from '../../parts/form/tagging.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { TagMarks } from '../../parts/list/tag-mark.tsx';
import { Named } from '../../parts/person/initials.tsx';
import { listPeople, listPeopleOfGrant, useSignInText, waysPermission } from '../../parts/person/people.ts';
import { signInNameOf } from '../../parts/person/sign-in-name.ts';
import { DoWithTicked, type Ticked, useTickedActions } from './ticked.tsx';

type Person = Item<'listUsers'> & { readonly email?: string | null };
const addressOf = ({ email, authenticationMethods }: Person) => {
  const name = signInNameOf(authenticationMethods);
  return email ?? (name.kind === 'known' ? name.text : undefined);
};
const named = (roles: Person['roles']) => (roles ?? []).map(({ name }) => name).join(', ') || '–';

/** The people of a project: its own, and the members of its organization. */
export function Screen() {
  const { t } = useTexts();
  const { user } = useMe();
  const scope = useProject();
  const rights = useRights();
  const { may } = rights;
  const dialog = useDialog();
  const signInText = useSignInText();
  const place = usePlaceHere();
  const grant = useGrantOf(place);
  const isPending = useIsGrantPending(place);
  const text = grant ? t('peopleOfGrantText', { product: grant.project.name, owner: grant.ownerOrganization.name }) : t('peopleText');
  const list = (asked: Omit<Input<'listUsers'>, 'scope'>) =>
    grant
      ? listPeopleOfGrant({ scope, ...asked }, { tenant: 'organization', id: place.parentId })
      : listPeople({ scope, ...asked }, rights);
  const person = useItem('people', dialog.id, (ids) => list({ ids, relations: ['roles'] }));
  const addressOfMember = { label: t('emailShort'), cell: ({ email }: Person) => email ?? '–' } as const;
  const address = { label: t('emailShort'), sort: 'email', cell: (one: Person) => signInText(one) ?? '–' } as const;
  const [ticked, setTicked] = useState<Ticked>();
  const actionsOfTicked = useTickedActions(setTicked);
  const actionsOf = ({ id, memberRole }: Person) =>
    allowed(
      [may('User:Update', { id, createdBy: null }), { label: t('giveRoles'), run: () => dialog.open('edit', id) }],
      [may('User:Update', { id, createdBy: null }), { label: t('editTags'), run: () => dialog.open('tags', id) }],
      [!memberRole && may('User:Update', { id, createdBy: null }), { label: t('editProfile'), run: () => dialog.open('profile', id) }],
      [
        id !== user.id && !memberRole && may('User:Delete', { id, createdBy: null }),
        { label: t('removeMember'), run: () => dialog.open('remove', id), isDangerous: true },
      ],
    );
  if (isPending) return <Waiting />;
  const create = <CreateButton needs="User:Create" label={t('newPerson')} />;
  return (
    <>
      <Head title={t('people')} text={text}>
        {create}
      </Head>
      <List<Person>
        name="people"
        label={t('people')}
        isTagged
        icon="people"
        empty={t('noPeople')}
        load={(asked) => list({ ...asked, relations: ['roles', 'tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => <Named name={name}>{name}</Named> },
          ...(grant ? [addressOfMember] : may(waysPermission) ? [address] : []),
          { label: t('projectRoles'), cell: ({ roles }) => named(roles) },
          { label: t('organizationRole'), cell: ({ memberRole }) => memberRole?.name ?? '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          { label: t('since'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={actionsOf}
        choosing={
          may('User:Update') || may('User:Delete')
            ? {
                nameOf: ({ name }) => name,
                actions: actionsOfTicked,
              }
            : undefined
        }
        csv={{
          file: 'people',
          columns: [
            ['id', ({ id }) => id],
            ['name', ({ name }) => name],
            ...(grant || may(waysPermission) ? [['email', addressOf] as const] : []),
            ['roleNames', ({ roles }) => (roles ?? []).map(({ name }) => name).join(', ')],
            ['memberRoleName', ({ memberRole }) => memberRole?.name],
            ['tagNames', ({ tags }) => (tags ?? []).map(({ name }) => name).join(', ')],
            ['createdAt', ({ createdAt }) => createdAt],
          ],
        }}
      />
      {ticked === undefined ? null : <DoWithTicked {...ticked} close={() => setTicked(undefined)} />}
      <Tagging kind="User" />
      {dialog.name === 'create' && may('User:Create') ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && person ? <Edit person={person} close={dialog.close} /> : null}
      {dialog.name === 'profile' && person ? <ProfileOf person={person} close={dialog.close} /> : null}
      {dialog.name === 'remove' && person ? (
        <Confirm
          title={t('removeNamed', { name: person.name })}
          text={t('removePersonText')}
          button={t('removeMember')}
          name={person.name}
          said={t('removed', { name: person.name })}
          run={() => tessera.deleteUser({ scope, id: person.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function shown(person?: Person) {
  return {
    name: person?.name ?? '',
    roleIds: (person?.roles ?? []).map(({ id }) => id),
    memberMetadata: JSON.stringify(person?.memberMetadata ?? {}, null, 2),
  };
}

function Edit({ person, close }: { readonly person?: Person; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const isGrant = useGrantOf(usePlaceHere()) !== undefined;
  const roles = useOwnRoleChoice();
  const draft = useDraft({
    initial: shown(person),
    edits: person && {
      thing: person,
      show: shown,
      read: async () => (await tessera.listUsers({ scope, ids: [person.id], relations: ['roles'] })).items[0],
    },
    names: roles,
    keepAs: `person ${person?.id ?? scope.id}`,
    check: ({ name, memberMetadata }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      memberMetadata: objectOf(memberMetadata) === undefined ? t('enterObject') : undefined,
    }),
    send: async ({ name, roleIds, memberMetadata }, call) => {
      if (person === undefined) return tessera.createUser({ scope, name: name.trim(), roleIds });
      const metadata = objectOf(memberMetadata) ?? {};
      const isSame = JSON.stringify(metadata) === JSON.stringify(person.memberMetadata ?? {});
      return tessera.updateUser({ scope, id: person.id, roleIds, ...(isSame ? {} : { memberMetadata: metadata }) }, call);
    },
    done: close,
  });
  const title = person ? t('rolesOf', { name: person.name }) : t('newPerson');
  return (
    <FormDialog title={title} draft={draft} submit={t(person ? 'save' : 'create')} close={close}>
      {person ? null : (
        <>
          <WithoutSignIn />
          <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
        </>
      )}
      <MultiSelect {...draft.field('roleIds')} label={t('projectRoles')} data={roles} searchable />
      {person && !isGrant ? (
        <JsonInput
          {...draft.field('memberMetadata')}
          label={t('memberMetadata')}
          description={t('memberMetadataHelp')}
          autosize
          minRows={3}
        />
      ) : null}
    </FormDialog>
  );
}

/** What is made here is often not what is meant: the way to people who sign in. */
function WithoutSignIn() {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const members = { ...place, projectId: undefined };
  const inParent = useRightsIn(parentScopeOf(place));
  const mayInvite = place.kind === 'org' && inParent.may('OrganizationInvitation:Create') && inParent.may('OrganizationMember:Query');
  return (
    <div>
      <Text size="sm">{t('newPersonText')}</Text>
      {mayInvite || may('ProjectApp:Query') ? (
        <Text size="sm" mt="xs">
          {t('newPersonElse')}
        </Text>
      ) : null}
      <ul className="ways-in">
        {mayInvite ? (
          <li>
            <NavigationLink to={pathOf(members, 'members')} search={{ do: 'invite' }} size="sm">
              {t('inviteToOrganization')}
            </NavigationLink>
          </li>
        ) : null}
        {may('ProjectApp:Query') ? (
          <li>
            <NavigationLink to={pathOf(place, 'apps')} size="sm">
              {t('signUpByApp')}
            </NavigationLink>
          </li>
        ) : null}
      </ul>
    </div>
  );
}

function profileOf({ name, metadata }: Person) {
  return { name, metadata: JSON.stringify(metadata, null, 2) };
}

type ProfileProps = { readonly person: Person; readonly close: () => void };

/** Of a person who was made here and cannot sign in. All others change their own. */
function ProfileOf({ person, close }: ProfileProps) {
  const { t } = useTexts();
  if ((person.authenticationMethods ?? []).length === 0) return <EditProfile person={person} close={close} />;
  return (
    <Modal opened onClose={close} title={t('editNamed', { name: person.name })} closeButtonProps={{ 'aria-label': t('close') }}>
      <Text>{t('profileOfOthers')}</Text>
    </Modal>
  );
}

function EditProfile({ person, close }: ProfileProps) {
  const { t } = useTexts();
  const scope = useProject();
  const tell = useTell();
  const queries = useQueryClient();
  const draft = useDraft({
    initial: profileOf(person),
    edits: { thing: person, show: profileOf, read: async () => (await tessera.listUsers({ scope, ids: [person.id] })).items[0] },
    check: ({ name, metadata }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined,
    }),
    send: ({ name, metadata }, call) =>
      tessera.updateUser({ scope, id: person.id, name: name.trim(), metadata: objectOf(metadata) ?? {} }, call),
    done: close,
  });
  const upload: ComponentProps<typeof Picture>['upload'] = async (picture) => {
    await tessera.uploadUserPicture({ scope, id: person.id, ...picture });
    await queries.invalidateQueries({ queryKey: ['console'] });
    tell(t('saved'));
  };
  return (
    <FormDialog title={t('editNamed', { name: person.name })} draft={draft} submit={t('save')} close={close}>
      <Text c="dimmed" size="sm">
        {t('profileOfOthers')}
      </Text>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <JsonInput {...draft.field('metadata')} label={t('userMetadata')} autosize minRows={3} maxRows={10} />
      <Picture url={person.pictureUrl} name={person.name} upload={upload} />
    </FormDialog>
  );
}
