import { Checkbox, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { FormDialog } from '../form/dialogs.tsx';
import { CreateButton, Delete } from '../form/edit.tsx';
import { useOwnRoleChoice } from '../form/roles.ts';
import { useDraft } from '../form/use-draft.ts';
import { useEditActions } from '../list/edit-actions.ts';
import { List } from '../list/list.tsx';
import { useItem } from '../list/use-item.ts';
import { useDialog } from '../shell/address.ts';
import { useProject } from '../shell/scope.ts';
import { Head } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';

type App = Item<'listProjectApps'>;

export function Screen() {
  const { t, day } = useTexts();
  const scope = useProject();
  const dialog = useDialog();
  const actions = useEditActions('ProjectApp');
  const app = useItem('apps', dialog.id, (ids) => tessera.listProjectApps({ scope, ids }));
  const create = <CreateButton needs="ProjectApp:Create" label={t('newApp')} />;
  const tryIt = ({ clientId, redirectUris: [uri = ''] }: App) => {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: uri, provider: 'email' });
    window.open(`/api/auth/project/authorize?${query}`, '_blank', 'noopener');
  };
  return (
    <>
      <Head title={t('apps')} text={t('appsText')}>
        {create}
      </Head>
      <List<App>
        name="apps"
        label={t('apps')}
        icon="app"
        empty={t('noApps')}
        emptyText={t('appsText')}
        sort="createdAt desc"
        load={(asked) => tessera.listProjectApps({ scope, ...asked })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => name },
          { label: t('clientId'), cell: ({ clientId }) => <code>{clientId}</code> },
          { label: t('redirectUris'), cell: ({ redirectUris }) => redirectUris.join(', ') },
          { label: t('scopes'), cell: ({ scopes }) => scopes.join(', ') || '–' },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => day(createdAt) },
        ]}
        actions={(one) => [{ label: t('tryIt'), run: () => tryIt(one) }, ...actions(one.id)]}
      />
      {dialog.name === 'create' ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && app ? <Edit app={app} close={dialog.close} /> : null}
      {dialog.name === 'delete' && app ? (
        <Delete
          name={app.name}
          text={t('deleteAppText')}
          run={() => tessera.deleteProjectApp({ scope, id: app.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

/** What an app can be given: each action of the project's own resources. */
function useScopeChoice(): string[] {
  const scope = useProject();
  const { data } = useQuery({
    queryKey: ['console', 'scope choice', scope.id],
    queryFn: () => tessera.listResources({ scope, limit: 100 }),
  });
  return (data?.items ?? [])
    .filter(({ isBuiltIn }) => !isBuiltIn)
    .flatMap(({ slug, actions }) => actions.map((action) => `${slug}:${action}`));
}

function Edit({ app, close }: { readonly app?: App; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const roles = useOwnRoleChoice();
  const scopes = useScopeChoice();
  const draft = useDraft({
    initial: {
      name: app?.name ?? '',
      redirectUris: app?.redirectUris ?? [],
      scopes: app?.scopes ?? [],
      allowSignUp: app?.allowSignUp ?? false,
      signUpRoleId: app?.signUpRoleId ?? null,
    },
    keepAs: `app ${app?.id ?? scope.id}`,
    check: ({ name, redirectUris, allowSignUp, signUpRoleId }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      redirectUris: redirectUris.length === 0 ? t('enterRedirectUri') : undefined,
      signUpRoleId: allowSignUp && signUpRoleId === null ? t('chooseRole') : undefined,
    }),
    send: async (values) => {
      const body = { scope, ...values, name: values.name.trim(), signUpRoleId: values.allowSignUp ? values.signUpRoleId : null };
      await (app ? tessera.updateProjectApp({ id: app.id, ...body }) : tessera.createProjectApp(body));
    },
    done: close,
  });
  return (
    <FormDialog
      title={app ? t('editNamed', { name: app.name }) : t('newApp')}
      draft={draft}
      submit={t(app ? 'save' : 'create')}
      close={close}
    >
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TagsInput {...draft.field('redirectUris')} label={t('redirectUris')} description={t('redirectHelp')} acceptValueOnBlur />
      <TagsInput {...draft.field('scopes')} label={t('scopes')} description={t('scopesHelp')} data={scopes} acceptValueOnBlur />
      <Checkbox
        label={t('allowSignUp')}
        checked={draft.values.allowSignUp}
        onChange={({ currentTarget }) => draft.set('allowSignUp', currentTarget.checked)}
      />
      {draft.values.allowSignUp ? <Select {...draft.field('signUpRoleId')} label={t('signUpRole')} data={roles} searchable /> : null}
    </FormDialog>
  );
}
