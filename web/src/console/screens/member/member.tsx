import { Badge, Button, TextInput, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Input, Item } from '@tessera/client';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { optionsQuery, tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { Panel } from '../../base/panel.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Agents } from '../../parts/agents/agents.tsx';
import { Log } from '../../parts/audit/log.tsx';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { waysPermission } from '../../parts/person/people.ts';

import { OfDirectory } from './of-directory.tsx';

type Member = Item<'listOrganizationMembers'>;

/** Projects whose roles are shown at once; the others are a click away. */
const mostProjects = 20;

/** One person: who they are here, what they may, what they did, and what can be done for them. */
export function Screen() {
  const { t } = useTexts();
  const scope = useOrganization();
  const place = usePlaceHere();
  const { may } = useRights();
  const { userId = '' } = useParams({ strict: false }) as { readonly userId?: string };
  const found = useQuery({
    queryKey: ['console', 'member', scope, userId],
    queryFn: async () => (await tessera.listOrganizationMembers({ scope, ids: [userId] })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  const member = found.data;
  if (member === null || member.type !== 'member') return <Missing />;
  return (
    <>
      <NavigationLink to={pathOf(place, 'members')}>{t('allMembers')}</NavigationLink>
      <Head title={member.name ?? '–'} text={member.email ?? undefined}>
        <Help member={member} />
      </Head>
      <div className="panels">
        <Standing member={member} />
        <Projects userId={userId} />
        <OfDirectory member={member} />
      </div>
      {may('User:ExportData') ? (
        <section>
          <Title order={2} size="h4" mt="lg">
            {t('actingForMember')}
          </Title>
          <Agents
            name={`agents ${userId}`}
            label={t('actingForMember')}
            emptyText={t('noActingForMember')}
            isOfOrganization
            texts={{ end: t('endAgentOfMemberText'), allow: t('allowAgentOfMemberText') }}
            load={(asked) => tessera.listAgents({ scope, userId, ...asked })}
            end={(clientId) => tessera.deleteAgent({ scope, userId, clientId })}
            allow={(clientId) => tessera.allowAgent({ scope, userId, clientId })}
          />
        </section>
      ) : null}
      {may('AuditEvent:Query') ? (
        <section>
          <Title order={2} size="h4" mt="lg">
            {t('whatTheyDid')}
          </Title>
          <Log
            name="events of a member"
            label={t('whatTheyDid')}
            load={(asked) => tessera.listAuditEvents({ scope, ...asked, actorId: userId })}
          />
        </section>
      ) : null}
    </>
  );
}

type Restricted = Input<'unblockMember'>;

const steps = {
  'end-sessions': {
    title: 'endSessionsHere',
    text: 'endSessionsHereText',
    said: 'endedSessionsHere',
    run: (input: Restricted) => tessera.endMemberSessions(input),
  },
  'require-password': {
    title: 'requirePassword',
    text: 'requirePasswordText',
    said: 'requiredPassword',
    run: (input: Restricted) => tessera.requireNewMemberPassword(input),
  },
  block: { title: 'block', text: 'blockText', said: 'blockedSaid', run: (input: Input<'blockMember'>) => tessera.blockMember(input) },
  detach: {
    title: 'detach',
    text: 'detachText',
    said: 'detachedSaid',
    run: (input: Input<'detachMember'>) => tessera.detachMember(input),
  },
  attach: {
    title: 'attach',
    text: 'attachText',
    said: 'attachedSaid',
    run: (input: Input<'attachMember'>) => tessera.attachMember(input),
  },
  unblock: { title: 'unblock', text: 'unblockText', said: 'unblockedSaid', run: (input: Restricted) => tessera.unblockMember(input) },
} as const;
type StepName = keyof typeof steps;
const isStep = (name: string | undefined): name is StepName => name !== undefined && Object.hasOwn(steps, name);

function Help({ member }: { readonly member: Member }) {
  const { t } = useTexts();
  const { user } = useMe();
  const { may } = useRights();
  const dialog = useDialog();
  // The server refuses these steps for the caller, and for a member of the same rank or above.
  if (member.id === user.id || !may('OrganizationMember:Update')) return null;
  return (
    <>
      <Button variant="default" onClick={() => dialog.open('end-sessions')}>
        {t('endSessionsHere')}
      </Button>
      <Button variant="default" onClick={() => dialog.open('require-password')}>
        {t('requirePassword')}
      </Button>
      <Button variant={member.isBlocked ? 'filled' : 'default'} onClick={() => dialog.open(member.isBlocked ? 'unblock' : 'block')}>
        {t(member.isBlocked ? 'unblock' : 'block')}
      </Button>
      {member.directory === null ? null : (
        <Button variant="default" onClick={() => dialog.open(member.directory?.isDetached ? 'attach' : 'detach')}>
          {t(member.directory.isDetached ? 'attach' : 'detach')}
        </Button>
      )}
      {isStep(dialog.name) ? <Step name={dialog.name} member={member} close={dialog.close} /> : null}
    </>
  );
}

type StepProps = { readonly name: StepName; readonly member: Member; readonly close: () => void };

function Step({ name, member, close }: StepProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const [reason, setReason] = useState('');
  const who = member.name ?? member.email ?? '';
  const { title, text, said, run } = steps[name];
  const isEnding = name === 'attach' && member.directory?.isActive === false;
  const forLog = reason.trim() === '' ? {} : { reason: reason.trim() };
  return (
    <Confirm
      title={t(title)}
      text={t(isEnding ? 'attachEndsText' : text, { who })}
      button={t(title)}
      said={t(said, { who })}
      run={() => run({ scope, userId: member.id, ...forLog })}
      close={close}
      isHarmless={name === 'unblock' || (name === 'attach' && !isEnding)}
      {...(isEnding ? { name: who } : {})}
    >
      {name === 'block' ? (
        <TextInput
          label={t('reasonForLog')}
          value={reason}
          maxLength={500}
          data-autofocus
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      ) : null}
    </Confirm>
  );
}

/** Role, ways to sign in, and since when. */
function Standing({ member }: { readonly member: Member }) {
  const { t, day, when } = useTexts();
  const { may } = useRights();
  const scope = useOrganization();
  const options = useQuery(optionsQuery);
  const mayReadWays = may(waysPermission);
  const person = useQuery({
    queryKey: ['console', 'ways of a member', scope, member.id],
    queryFn: async () => (await tessera.listUsers({ scope, ids: [member.id], relations: ['authenticationMethods'] })).items[0] ?? null,
    enabled: mayReadWays,
  });
  const labelOf = (provider: string) =>
    provider === 'email' ? t('email') : (options.data?.providers.find(({ name }) => name === provider)?.label ?? provider);
  const ways = (person.data?.authenticationMethods ?? []).map(({ provider, providerId, isVerified }) => {
    const name = provider === 'email' && providerId !== null ? `${labelOf(provider)}: ${providerId}` : labelOf(provider);
    return isVerified ? name : `${name} (${t('notConfirmed')})`;
  });
  return (
    <Panel
      title={
        <>
          {t('standing')} {member.isBlocked ? <Badge variant="outline">{t('isBlocked')}</Badge> : null}
        </>
      }
    >
      <Facts
        facts={[
          [t('role'), member.role?.name ?? '–'],
          [t('since'), day(member.createdAt)],
          ...(member.blockedAt === null ? [] : [[t('blockedSince'), when(member.blockedAt)] as const]),
          ...(mayReadWays ? [[t('waysToSignIn'), ways.join('\n') || '–'] as const] : []),
        ]}
      />
    </Panel>
  );
}

/** Where their rights come from: the organization's role holds in each project, besides its own. */
function Projects({ userId }: { readonly userId: string }) {
  const { t } = useTexts();
  const scope = useOrganization();
  const projects = useQuery({
    queryKey: ['console', 'projects of a member', scope],
    queryFn: () => tessera.listProjects({ scope, limit: mostProjects, sortField: 'name', sortOrder: 'asc' }),
  });
  const items = projects.data?.items ?? [];
  const roles = useQueries({
    queries: items.map(({ id }) => {
      const inProject = { tenant: 'organizationProject', id: `${scope.id}:${id}` } as const;
      return {
        queryKey: ['console', 'roles of a member', inProject, userId],
        queryFn: async () => (await tessera.listUsers({ scope: inProject, ids: [userId], relations: ['roles'] })).items[0]?.roles ?? [],
      };
    }),
  });
  return (
    <Panel title={t('rolesInProjects')}>
      {projects.isPending ? <Waiting /> : null}
      {projects.error ? <Retry error={projects.error} again={() => void projects.refetch()} /> : null}
      {projects.data && items.length === 0 ? t('noProjects') : null}
      <Facts
        facts={items.map(({ name }, index) => [name, roles[index]?.data?.map((role) => role.name).join(', ') || t('noOwnRoles')] as const)}
      />
      {(projects.data?.totalCount ?? 0) > items.length ? t('moreProjects', { count: String(projects.data?.totalCount ?? 0) }) : null}
    </Panel>
  );
}
