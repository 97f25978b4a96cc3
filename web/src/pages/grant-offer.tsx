import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Output, TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Notice, Problem, Waiting } from '../look/page.tsx';
import { messageOf, requireOrganizationName, useForm } from '../parts/form.ts';
import { rememberAddress } from '../parts/typed.ts';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { home } from '../session/return-to.ts';
import { type Me, meQuery, nameOf, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

type Offer = Output<'getProjectGrantOffer'>;
const here = new URLSearchParams({ return_to: '/grants/accept' });

/** Where the mail of an offer leads: an Owner takes it, for an organization or for a new one. */
export function GrantOffer() {
  const { t } = useWords();
  const { token = '', spent } = use(LinkSecretContext);
  const me = useQuery(meQuery);
  const offer = useQuery({
    queryKey: ['grant offer', token],
    queryFn: () => tessera.getProjectGrantOffer({ token }),
    enabled: token !== '',
    retry: false,
  });
  if (spent !== undefined) return <Closed text={t('offerAnswered')} />;
  if (token === '') return <Card title={t('linkCutTitle')} text={t('linkCutText')} />;
  if (offer.error) return <Unreadable error={offer.error} again={() => void offer.refetch()} />;
  if (offer.data === undefined || me.isPending) return <Waiting />;
  const { state, ownerOrganization } = offer.data;
  if (state !== 'open') return <Closed text={t(closedTexts[state], { owner: ownerOrganization.name })} />;
  return <Open token={token} offer={offer.data} me={me.data ?? null} />;
}

const closedTexts = { taken: 'offerAnswered', declined: 'offerAnswered', withdrawn: 'offerWithdrawn', expired: 'offerExpired' } as const;

function Closed({ text }: { readonly text: string }) {
  const { t } = useWords();
  return (
    <Card title={t('offerClosedTitle')} text={text}>
      <Button component="a" href={home}>
        {t('continue')}
      </Button>
    </Card>
  );
}

function Unreadable({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const { t } = useWords();
  if (error instanceof TesseraError && (error.status === 404 || error.status === 400))
    return <Card title={t('linkDeadTitle')} text={t('offerUnknown')} />;
  return (
    <Card title={t('errorTitle')}>
      <Problem>{messageOf(error)}</Problem>
      <Button onClick={again}>{t('tryAgain')}</Button>
    </Card>
  );
}

type OpenProps = { readonly token: string; readonly offer: Offer };

function Open({ token, offer, me }: OpenProps & { readonly me: Me | null }) {
  const { t } = useWords();
  const { email, project, ownerOrganization, roles } = offer;
  const [done, setDone] = useState<{ readonly accepted: boolean; readonly organization: string }>();
  const names = { project: project.name, owner: ownerOrganization.name };
  if (done?.accepted === true) return <Accepted project={project.name} organization={done.organization} />;
  if (done !== undefined) return <Card title={t('offerDeclinedTitle')} text={t('offerDeclinedText', names)} />;
  return (
    <Card title={t('offerTitle', names)} text={t('offerText', { ...names, email })}>
      {roles.length === 0 ? null : <Notice>{t('offerRoles', { roles: roles.map(({ name }) => name).join(', ') })}</Notice>}
      {me === null ? <SignInFirst email={email} /> : <Answer token={token} offer={offer} me={me} done={setDone} />}
    </Card>
  );
}

function Accepted({ project, organization }: { readonly project: string; readonly organization: string }) {
  const { t } = useWords();
  return (
    <Card title={t('offerDoneTitle', { project })} text={t('offerDoneText', { project, organization })}>
      <Button component="a" href={home}>
        {t('continue')}
      </Button>
    </Card>
  );
}

function SignInFirst({ email }: { readonly email: string }) {
  const { t } = useWords();
  rememberAddress(email);
  return (
    <>
      <Button component="a" href={`/auth/sign-in?${here}`}>
        {t('signIn')}
      </Button>
      <Button component="a" variant="default" href={`/auth/register?${here}`}>
        {t('register')}
      </Button>
    </>
  );
}

/** The organizations of which the person is an Owner are asked for at the acceptance. */
async function ownOrganizations(me: Me) {
  const lists = await Promise.all(
    me.accounts.map(({ id }) => tessera.listOrganizations({ scope: { tenant: 'account', id }, page: 1, limit: 50 })),
  );
  return [...new Map(lists.flatMap(({ items }) => items).map((one) => [one.id, one])).values()];
}

async function makeOrganization(me: Me, name: string): Promise<string> {
  const account = me.accounts.find(({ type }) => type === 'organization') ?? (await tessera.createSecondaryAccount()).account;
  return (await tessera.createOrganization({ scope: { tenant: 'account', id: account.id }, name })).id;
}

type Done = { readonly accepted: boolean; readonly organization: string };

function Answer({ token, offer, me, done }: OpenProps & { readonly me: Me; readonly done: (done: Done) => void }) {
  const { t } = useWords();
  const { id, email } = offer;
  const organizations = useQuery({ queryKey: ['own organizations', me.user.id], queryFn: () => ownOrganizations(me) });
  const [problem, setProblem] = useState<unknown>();
  const [pending, setPending] = useState<string>();
  const run = async (key: string, work: () => Promise<void>) => {
    setPending(key);
    setProblem(undefined);
    await work().catch(setProblem);
    setPending(undefined);
  };
  const accept = async (organizationId: string, organization: string) => {
    await tessera.acceptProjectGrant({ scope: { tenant: 'organization', id: organizationId }, id, token });
    forgetLinkSecret();
    done({ accepted: true, organization });
  };
  const decline = async (organizationId: string) => {
    await tessera.declineProjectGrant({ scope: { tenant: 'organization', id: organizationId }, id, token });
    forgetLinkSecret();
    done({ accepted: false, organization: '' });
  };
  const signInAgain = () =>
    run('again', async () => {
      await tessera.signOut();
      rememberAddress(email);
      window.location.assign(`/auth/sign-in?${here}`);
    });
  if (organizations.isPending) return <Waiting />;
  const own = organizations.data ?? [];
  const [first] = own;
  const isStale = problem instanceof TesseraError && problem.code === 'FRESH_SIGN_IN_REQUIRED';
  const isOther = me.email?.toLowerCase() !== email.toLowerCase();
  return (
    <Stack gap="md">
      <Notice>{t(isOther ? 'offerElsewhere' : 'signedInAs', { who: nameOf(me), email })}</Notice>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {isStale || isOther ? (
        <Button loading={pending === 'again'} onClick={() => void signInAgain()}>
          {t(isOther ? 'inviteSignOut' : 'signInAgain')}
        </Button>
      ) : null}
      {own.map((organization) => (
        <Button
          key={organization.id}
          className="wrap"
          variant={isOther ? 'default' : 'filled'}
          loading={pending === organization.id}
          disabled={pending !== undefined && pending !== organization.id}
          onClick={() => void run(organization.id, () => accept(organization.id, organization.name))}
        >
          {t('offerAcceptFor', { organization: organization.name })}
        </Button>
      ))}
      {isOther ? null : (
        <NewOrganization
          isOnly={first === undefined}
          make={async (name) => {
            await accept(await makeOrganization(me, name), name);
          }}
          failed={() => void organizations.refetch()}
        />
      )}
      {first === undefined ? null : (
        <Button variant="subtle" loading={pending === 'decline'} onClick={() => void run('decline', () => decline(first.id))}>
          {t('offerDecline')}
        </Button>
      )}
    </Stack>
  );
}

type NewProps = { readonly isOnly: boolean; readonly make: (name: string) => Promise<void>; readonly failed: () => void };

/** If only the acceptance fails, the new organization is in the list above. */
function NewOrganization({ isOnly, make, failed }: NewProps) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { name: '' },
    check: { name: requireOrganizationName },
    serverFields: { name: 'name' },
    send: ({ name }) =>
      make(name.trim()).catch((error: unknown) => {
        failed();
        throw error;
      }),
  });
  return (
    <form {...form}>
      <Stack gap="xs">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <TextInput {...field('name')} label={t('offerNewName')} maxLength={200} />
        <Button type="submit" variant={isOnly ? 'filled' : 'default'} loading={isPending} fullWidth>
          {t('offerNew')}
        </Button>
      </Stack>
    </form>
  );
}
