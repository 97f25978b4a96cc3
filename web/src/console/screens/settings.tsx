import { Button, Group, JsonInput, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Item, Output } from '@tessera/client';
import type { ReactNode } from 'react';
import { Problem, Waiting } from '../../look/page.tsx';
import { tessera } from '../../session/tessera.ts';
import { useDialog } from '../base/address.ts';
import { NavigationLink } from '../base/link.tsx';
import { useMe } from '../base/me.tsx';
import { useProjectOf } from '../base/project.ts';
import { useRights, useRightsIn } from '../base/rights.ts';
import { kindOf, parentScopeOf, pathOf, usePlaceHere } from '../base/scope.ts';
import { Head, Missing, Retry } from '../base/states.tsx';
import { useTell } from '../base/tell.tsx';
import { useTexts } from '../base/words.ts';
import { Conflict } from '../parts/form/conflict.tsx';
import { Confirm } from '../parts/form/dialogs.tsx';
import { objectOf } from '../parts/form/json.ts';
import { Tagging } from '../parts/form/tagging.tsx';
import { useDraft } from '../parts/form/use-draft.ts';

/** The name of a place and what is kept about it, and how it ends. */
export function Screen() {
  const kind = kindOf(usePlaceHere());
  if (kind === 'organization') return <OfOrganization />;
  return kind === 'project' ? <OfProject /> : <OfAccount />;
}

function OfOrganization() {
  const { t } = useTexts();
  const { parentId: id } = usePlaceHere();
  const scope = { tenant: 'organization', id } as const;
  const read = () => tessera.getOrganization({ id, scope });
  const { data, error, refetch } = useQuery({ queryKey: ['console', 'settings', id], queryFn: read, gcTime: 0 });
  return (
    <>
      <Head title={t('settings')} text={t('organizationSettingsText')} />
      {error ? <Retry error={error} again={() => void refetch()} /> : null}
      {data === undefined ? error ? null : <Waiting /> : <OrganizationPanels organization={data} read={read} />}
    </>
  );
}

type Organization = Output<'getOrganization'>;
type OrganizationProps = { readonly organization: Organization; readonly read: () => Promise<Organization> };

function OrganizationPanels({ organization, read }: OrganizationProps) {
  const { t } = useTexts();
  const { id, name, slug } = organization;
  const { user } = useMe();
  const { may } = useRights();
  const dialog = useDialog();
  const navigate = useNavigate();
  const scope = { tenant: 'organization', id } as const;
  const toStart = () => void navigate({ to: '/console' });
  const save = ({ name: wanted, metadata }: About, call: Call<Organization>) =>
    tessera.updateOrganization({ scope, id, name: wanted.trim(), metadata: objectOf(metadata) ?? {} }, call);
  return (
    <div className="panels">
      <AboutForm thing={organization} read={read} save={save} isReadOnly={!may('Organization:Update')} hasDescription={false}>
        <Fact label={t('slug')} value={slug} />
        <Fact label={t('identifier')} value={id} />
      </AboutForm>
      <Ending>
        <Step text={t('leaveText')} button={t('leave')} run={() => dialog.open('leave')} />
        {may('Organization:Delete') ? (
          <Step text={t('deleteOrganizationText')} button={t('deleteOrganization')} run={() => dialog.open('delete')} />
        ) : null}
      </Ending>
      {dialog.name === 'leave' ? (
        <Confirm
          {...{ title: t('leave'), text: t('leaveText'), button: t('leave'), name, said: t('left'), close: dialog.close }}
          run={() => tessera.removeOrganizationMember({ scope, userId: user.id })}
          done={toStart}
        />
      ) : null}
      {dialog.name === 'delete' && may('Organization:Delete') ? (
        <Confirm
          {...{ title: t('deleteNamed', { name }), text: t('deleteOrganizationText'), button: t('delete'), name }}
          {...{ said: t('deleted', { name }), close: dialog.close, done: toStart }}
          run={() => tessera.deleteOrganization({ id, scope })}
        />
      ) : null}
    </div>
  );
}

function OfProject() {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { data, error, refetch, isPending } = useProjectOf(place);
  if (data === null) return <Missing />;
  return (
    <>
      <Head title={t('settings')} text={t('projectSettingsText')} />
      {error ? <Retry error={error} again={() => void refetch()} /> : null}
      {isPending ? <Waiting /> : null}
      {data ? <ProjectPanels project={data} /> : null}
    </>
  );
}

function ProjectPanels({ project }: { readonly project: Item<'listProjects'> }) {
  const { t } = useTexts();
  const { id, name, slug } = project;
  const place = usePlaceHere();
  const scope = parentScopeOf(place);
  const { may } = useRightsIn(scope);
  const dialog = useDialog();
  const navigate = useNavigate();
  const read = async () => (await tessera.listProjects({ scope, ids: [id] })).items[0];
  const save = ({ name: wanted, description, metadata }: About, call: Call<Item<'listProjects'>>) => {
    const body = { name: wanted.trim(), description: description.trim() || null, metadata: objectOf(metadata) ?? {} };
    return tessera.updateProject({ scope, id, ...body }, call);
  };
  return (
    <div className="panels">
      <AboutForm thing={project} read={read} save={save} isReadOnly={!may('Project:Update')} hasDescription>
        <Fact label={t('slug')} value={slug} />
        <Fact label={t('identifier')} value={id} />
        {may('Project:Update') ? (
          <Button variant="default" onClick={() => dialog.open('tags', id)}>
            {t('editTags')}
          </Button>
        ) : null}
      </AboutForm>
      {may('Project:Delete') ? (
        <Ending>
          <Step text={t('deleteProjectText')} button={t('deleteProject')} run={() => dialog.open('delete')} />
        </Ending>
      ) : null}
      <Tagging kind="Project" />
      {dialog.name === 'delete' && may('Project:Delete') ? (
        <Confirm
          {...{ title: t('deleteNamed', { name }), text: t('deleteProjectText'), button: t('delete'), name }}
          {...{ said: t('deleted', { name }), close: dialog.close }}
          done={() => void navigate({ to: pathOf({ ...place, projectId: undefined }, 'projects') })}
          run={() => tessera.deleteProject({ scope, id })}
        />
      ) : null}
    </div>
  );
}

function OfAccount() {
  const { t, day } = useTexts();
  const { parentId } = usePlaceHere();
  const account = useMe().accounts.find(({ id }) => id === parentId);
  if (account === undefined) return <Missing />;
  return (
    <>
      <Head title={t('settings')} text={t('accountSettingsText')} />
      <div className="panels">
        <section className="panel">
          <Title order={2} size="h4">
            {t(account.type === 'personal' ? 'personalAccount' : 'organizationAccount')}
          </Title>
          <Fact label={t('identifier')} value={account.id} />
          <Fact label={t('created')} value={day(account.createdAt)} />
          <NavigationLink to="/console/me">{t('profile')}</NavigationLink>
          <NavigationLink to="/console/me/data">{t('yourData')}</NavigationLink>
        </section>
      </div>
    </>
  );
}

type About = { readonly name: string; readonly description: string; readonly metadata: string };
type Call<Thing> = { readonly ifMatch: Thing | undefined };
type Described = {
  readonly name: string;
  readonly description?: string | null;
  readonly metadata: Record<string, unknown>;
  readonly updatedAt: string;
};
type AboutProps<Thing> = {
  readonly thing: Thing;
  readonly read: () => Promise<Thing | undefined>;
  readonly save: (about: About, call: Call<Thing>) => Promise<unknown>;
  readonly isReadOnly: boolean;
  readonly hasDescription: boolean;
  readonly children: ReactNode;
};

function aboutOf({ name, description, metadata }: Described): About {
  return { name, description: description ?? '', metadata: JSON.stringify(metadata, null, 2) };
}

function AboutForm<Thing extends Described>({ thing, read, save, isReadOnly, hasDescription, children }: AboutProps<Thing>) {
  const { t } = useTexts();
  const tell = useTell();
  const draft = useDraft({
    initial: aboutOf(thing),
    edits: { thing, show: aboutOf, read },
    check: ({ name, metadata }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined,
    }),
    send: async (values, call) => {
      await save(values, call);
      tell(t('saved'));
    },
  });
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('about')}
      </Title>
      <form {...draft.form}>
        <Stack gap="md">
          {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
          <TextInput {...draft.text('name')} label={t('nameLabel')} readOnly={isReadOnly} autoComplete="off" />
          {hasDescription ? (
            <Textarea {...draft.text('description')} label={t('description')} readOnly={isReadOnly} autosize minRows={2} />
          ) : null}
          <JsonInput
            {...draft.field('metadata')}
            label={t('metadata')}
            description={t('metadataHelp')}
            readOnly={isReadOnly}
            autosize
            minRows={3}
            maxRows={12}
          />
          {children}
          {draft.other === undefined ? null : <Conflict {...draft.other} />}
          {isReadOnly ? null : (
            <div>
              <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
                {t('save')}
              </Button>
            </div>
          )}
        </Stack>
      </form>
    </section>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <code className="wrap">{value}</code>
    </div>
  );
}

function Ending({ children }: { readonly children: ReactNode }) {
  const { t } = useTexts();
  return (
    <section className="panel danger-zone">
      <Title order={2} size="h4">
        {t('ending')}
      </Title>
      {children}
    </section>
  );
}

function Step({ text, button, run }: { readonly text: string; readonly button: string; readonly run: () => void }) {
  return (
    <Group justify="space-between" align="center" gap="sm">
      <Text c="dimmed" flex="1 1 14rem">
        {text}
      </Text>
      <Button className="danger-button" onClick={run}>
        {button}
      </Button>
    </Group>
  );
}
