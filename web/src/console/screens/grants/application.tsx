import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Notice, Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, useOrganization, usePlaceHere } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Facts } from '../../parts/list/facts.tsx';
import { type Grant, GrantStatus } from './status.tsx';

/** One project of another organization: the offer of it, what was agreed, and the way in and out. */
export function Screen() {
  const scope = useOrganization();
  const { grantId = '' } = useParams({ strict: false }) as { readonly grantId?: string };
  const found = useQuery({
    queryKey: ['console', 'applications', 'one', scope.id, grantId],
    queryFn: async () => (await tessera.listProjectGrants({ scope, ids: [grantId] })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found grant={found.data} />;
}

type GrantProps = { readonly grant: Grant };

function Found({ grant }: GrantProps) {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { status, project, ownerOrganization } = grant;
  const owner = ownerOrganization.name;
  return (
    <>
      <NavigationLink to={pathOf(place, 'applications')}>{t('allApplications')}</NavigationLink>
      <Head
        title={project.name}
        text={
          <>
            <GrantStatus status={status} /> <Text span>{t('applicationOf', { name: owner })}</Text>
          </>
        }
      />
      {status === 'suspended' ? <SuspendedNotice grant={grant} /> : null}
      {status === 'ended' ? (
        <div className="banner">
          <Notice>{t('applicationEnded')}</Notice>
        </div>
      ) : null}
      <div className="panels">
        <div className="panel-stack">
          {status === 'offered' ? <OfferPanel grant={grant} /> : null}
          {status === 'active' ? <Access grant={grant} /> : null}
          {status === 'active' || status === 'suspended' ? <Leaving grant={grant} /> : null}
        </div>
        <Agreed grant={grant} />
      </div>
    </>
  );
}

function SuspendedNotice({ grant: { reason, ownerOrganization } }: GrantProps) {
  const { t } = useTexts();
  return (
    <div className="banner">
      <Notice>
        {t('applicationSuspended', { owner: ownerOrganization.name })}
        {reason === null ? null : ` ${t('suspendedBecause', { reason })}`}
      </Notice>
    </div>
  );
}

/** Only an Owner binds the organization; the right to delete it is theirs alone. */
function useIsOwner(): boolean {
  return useRights().may('Organization:Delete');
}

function OfferPanel({ grant: { id, project, ownerOrganization } }: GrantProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const isOwner = useIsOwner();
  const dialog = useDialog();
  const names = { project: project.name, owner: ownerOrganization.name };
  const mayDecline = may('ProjectGrant:Update');
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('offerOf', names)}
      </Title>
      <Text className="wrap">{t('applicationOfferText', names)}</Text>
      {isOwner ? null : <Text c="dimmed">{t('offerForOwners')}</Text>}
      <Group gap="xs">
        {isOwner ? <Button onClick={() => dialog.open('accept')}>{t('accept')}</Button> : null}
        {mayDecline ? (
          <Button variant="default" onClick={() => dialog.open('decline')}>
            {t('decline')}
          </Button>
        ) : null}
      </Group>
      {dialog.name === 'accept' && isOwner ? (
        <Confirm
          title={t('acceptNamed', names)}
          text={t('applicationOfferText', names)}
          button={t('accept')}
          said={t('offerAccepted', names)}
          run={() => tessera.acceptProjectGrant({ scope, id })}
          close={dialog.close}
          isHarmless
        />
      ) : null}
      {dialog.name === 'decline' && mayDecline ? (
        <Confirm
          title={t('declineNamed', names)}
          text={t('declineText', names)}
          button={t('decline')}
          said={t('offerDeclined')}
          run={() => tessera.declineProjectGrant({ scope, id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}

/** The way into the scope of the grant, where roles are given and made. */
function Access({ grant: { projectId, project, memberCount, maxMembers } }: GrantProps) {
  const { t, count } = useTexts();
  const place = { ...usePlaceHere(), projectId };
  const held = count(memberCount);
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('whoHasWhichRole')}
      </Title>
      <Text c="dimmed" className="wrap">
        {t('whoHasWhichRoleText', { project: project.name })}
      </Text>
      <Facts facts={[[t('membersWithRole'), maxMembers === null ? held : t('peopleOfTotal', { count: held, most: count(maxMembers) })]]} />
      <Group gap="md">
        <NavigationLink to={pathOf(place, 'people')}>{t('toPeople')}</NavigationLink>
        <NavigationLink to={pathOf(place, 'roles')}>{t('toRoles')}</NavigationLink>
      </Group>
    </section>
  );
}

function Agreed({ grant }: GrantProps) {
  const { t, when } = useTexts();
  const { roles, allowCustomRoles, metadata, createdAt, acceptedAt, endedAt, ownerOrganization } = grant;
  const at = (date: string | null) => (date === null ? null : when(date));
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t(acceptedAt === null ? 'termsOffered' : 'terms')}
      </Title>
      <Facts
        facts={[
          [t('vendor'), ownerOrganization.name],
          [t('offeredRoles'), roles.map(({ name }) => name).join(', ') || t('noOfferedRoles')],
          [t('mayMakeRoles'), t(allowCustomRoles ? 'mayMakeRolesYes' : 'mayMakeRolesNo')],
          [t('offeredAt'), at(createdAt)],
          [t('acceptedAt'), at(acceptedAt)],
          [t('endedAt'), at(endedAt)],
        ]}
      />
      {Object.keys(metadata).length === 0 ? null : (
        <section aria-label={t('toldByVendor')}>
          <Text c="dimmed" size="sm" mt="xs" mb="xs">
            {t('toldByVendor')}
          </Text>
          <Facts
            facts={Object.entries(metadata).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])}
          />
        </section>
      )}
    </section>
  );
}

function Leaving({ grant: { id, project, ownerOrganization } }: GrantProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const isOwner = useIsOwner();
  const dialog = useDialog();
  const { name } = project;
  const names = { project: name, owner: ownerOrganization.name };
  if (!isOwner) return null;
  return (
    <section className="panel danger-zone">
      <Title order={2} size="h4">
        {t('leaveApplication')}
      </Title>
      <Text c="dimmed" className="wrap">
        {t('leaveApplicationText', names)}
      </Text>
      <div>
        <Button className="danger-button" onClick={() => dialog.open('leave')}>
          {t('leaveApplication')}
        </Button>
      </div>
      {dialog.name === 'leave' ? (
        <Confirm
          title={t('leaveNamed', names)}
          text={t('leaveApplicationText', names)}
          button={t('leaveApplication')}
          name={name}
          said={t('applicationLeft', names)}
          run={() => tessera.leaveProjectGrant({ scope, id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}
