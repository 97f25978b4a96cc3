import { Button, Textarea, TextInput } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { useDialog } from '../base/address.ts';
import { NavigationLink } from '../base/link.tsx';
import { useRights } from '../base/rights.ts';
import { parentScopeOf, pathOf, usePlaceHere } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { Confirm, FormDialog } from '../parts/form/dialogs.tsx';
import { Tagging } from '../parts/form/tagging.tsx';
import { useDraft } from '../parts/form/use-draft.ts';
import { useItem } from '../parts/form/use-item.ts';
import { allowed } from '../parts/list/actions.ts';
import { List } from '../parts/list/list.tsx';
import { Since } from '../parts/list/since.tsx';

type Project = Item<'listProjects'>;

export function Screen() {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const scope = parentScopeOf(place);
  const project = useItem('projects', dialog.id, (ids) => tessera.listProjects({ scope, ids }));
  const create = may('Project:Create') ? <Button onClick={() => dialog.open('create')}>{t('newProjectButton')}</Button> : null;
  return (
    <>
      <Head title={t('projects')} text={t('projectsText')}>
        {create}
      </Head>
      <List<Project>
        name="projects"
        label={t('projects')}
        isTagged
        icon="folder"
        empty={t('noProjects')}
        emptyText={t('noProjectsText')}
        load={(asked) => tessera.listProjects({ scope, ...asked })}
        sort="createdAt desc"
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: ({ id, name }) => <NavigationLink to={pathOf({ ...place, projectId: id })}>{name}</NavigationLink>,
          },
          { label: t('slug'), sort: 'slug', cell: ({ slug }) => <code>{slug}</code> },
          { label: t('description'), cell: ({ description }) => description ?? '–' },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={({ id }) =>
          allowed(
            [may('Project:Update'), { label: t('edit'), run: () => dialog.open('edit', id) }],
            [may('Project:Update'), { label: t('editTags'), run: () => dialog.open('tags', id) }],
            [may('Project:Delete'), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      <Tagging kind="Project" />
      {dialog.name === 'create' && may('Project:Create') ? <Edit close={dialog.close} /> : null}
      {dialog.name === 'edit' && project ? <Edit project={project} close={dialog.close} /> : null}
      {dialog.name === 'delete' && project ? (
        <Confirm
          title={t('deleteNamed', { name: project.name })}
          text={t('deleteProjectText')}
          button={t('delete')}
          name={project.name}
          said={t('deleted', { name: project.name })}
          run={() => tessera.deleteProject({ scope, id: project.id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function shown(project?: Project) {
  return { name: project?.name ?? '', description: project?.description ?? '' };
}

function Edit({ project, close }: { readonly project?: Project; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = parentScopeOf(usePlaceHere());
  const draft = useDraft({
    initial: shown(project),
    edits: project && {
      thing: project,
      show: shown,
      read: async () => (await tessera.listProjects({ scope, ids: [project.id] })).items[0],
    },
    keepAs: `project ${project?.id ?? scope.id}`,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: async ({ name, description }, call) => {
      const body = { scope, name: name.trim(), description: description.trim() || null };
      await (project ? tessera.updateProject({ id: project.id, ...body }, call) : tessera.createProject(body));
    },
    done: close,
  });
  return (
    <FormDialog
      title={project ? t('editNamed', { name: project.name }) : t('newProjectButton')}
      draft={draft}
      submit={t(project ? 'save' : 'create')}
      close={close}
    >
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <Textarea {...draft.text('description')} label={t('description')} autosize minRows={2} />
    </FormDialog>
  );
}
