import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOf, usePlaceHere, useProject } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { CreateButton, Delete, useEditDialog } from '../../parts/form/edit.tsx';
import { Tagging } from '../../parts/form/tagging.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { useEditActions } from '../../parts/list/edit-actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { TagMarks } from '../../parts/list/tag-mark.tsx';
import { Documents } from './documents.tsx';
import { Edit, type NewApp } from './edit.tsx';
import type { App } from './fields.ts';
import { NewSecret } from './new-secret.tsx';

export function Screen() {
  const { t } = useTexts();
  const scope = useProject();
  const place = usePlaceHere();
  const dialog = useEditDialog('ProjectApp');
  const navigate = useNavigate();
  const actions = useEditActions('ProjectApp');
  const [made, setMade] = useState<NewApp>();
  const app = useItem('apps', dialog.id, (ids) => tessera.listProjectApps({ scope, ids }));
  const pathOfApp = (id: string) => pathOf(place, `apps/${id}`);
  return (
    <>
      <Head title={t('apps')} text={t('appsText')}>
        <CreateButton needs="ProjectApp:Create" label={t('newApp')} />
      </Head>
      <List<App>
        name="apps"
        label={t('apps')}
        isTagged
        icon="app"
        empty={t('noApps')}
        emptyText={t('noAppsText')}
        sort="createdAt desc"
        load={(asked) => tessera.listProjectApps({ scope, ...asked, relations: ['tags'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ id, name }) => <NavigationLink to={pathOfApp(id)}>{name}</NavigationLink> },
          { label: t('appType'), cell: ({ type }) => t(`appType_${type ?? 'none'}`) },
          { label: t('clientId'), cell: ({ clientId }) => <code>{clientId}</code> },
          { label: t('redirectUris'), cell: ({ redirectUris }) => redirectUris.join(', ') || '–' },
          { label: t('scopes'), cell: ({ scopes }) => scopes.join(', ') || '–' },
          { label: t('tags'), cell: ({ tags }) => <TagMarks tags={tags} /> },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={({ id }) => [{ label: t('open'), run: () => void navigate({ to: pathOfApp(id) }) }, ...actions(id)]}
      />
      <Documents />
      <Tagging kind="ProjectApp" />
      {dialog.name === 'create' ? <Edit close={dialog.close} made={setMade} /> : null}
      {made?.clientSecret === undefined ? null : (
        <NewSecret
          app={{ ...made, clientSecret: made.clientSecret }}
          close={() => {
            setMade(undefined);
            void navigate({ to: pathOfApp(made.id) });
          }}
        />
      )}
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
