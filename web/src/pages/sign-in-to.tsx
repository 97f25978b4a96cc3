import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card, Notice, Problem, Waiting, Words } from '../look/page.tsx';
import { AddressFirst, connectionUrl } from '../parts/address-first.tsx';
import { EmailCodeForm } from '../parts/email-code.tsx';
import { PlaceOfApp, useAnswer, WithInteraction } from '../parts/interaction.tsx';
import { PageLink } from '../parts/link.tsx';
import { Providers } from '../parts/providers.tsx';
import { type Due, SecondFactorForm } from '../parts/second-factor.tsx';
import { type Interaction, pathOf } from '../session/interactions.ts';
import { meQuery, nameOf } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { usePageSearch } from './search.ts';
import { PasswordSignIn, SignIn } from './sign-in.tsx';

/** Sign-in to the product, or to the app that sent the person here. */
export function SignInTo() {
  const { interaction: id } = usePageSearch();
  return id === undefined ? <SignIn /> : <WithInteraction id={id}>{(asked) => <SignInToApp id={id} asked={asked} />}</WithInteraction>;
}

/** The reasons, in the library's words, why the present session is not enough as it is. */
const freshReasons = ['login_prompt', 'max_age', 'session_age', 'own_way', 'opens_session'];

function SignInToApp({ id, asked }: { readonly id: string; readonly asked: Interaction }) {
  const { t } = useWords();
  const me = useQuery(meQuery);
  const { pending, problem, send } = useAnswer(id);
  const [isOther, setOther] = useState(false);
  const [due, setDue] = useState<Due>();
  const [codeTo, setCodeTo] = useState<string>();
  const { app, reasons, enabledProviders, hasEmailCodes } = asked;
  const names = { app: app.name };
  const isOtherWay = reasons.includes('way_to_sign_in');
  const isFresh = reasons.some((reason) => freshReasons.includes(reason));
  if (due !== undefined) return <SecondFactorForm due={due} done={() => void send('continue')} />;
  if (me.isPending && !isOther) return <Waiting />;
  if (asked.connection !== null && !isOther && isByConnection(asked, me.data != null))
    return <ByConnection id={id} app={app} connection={asked.connection} others={() => setOther(true)} />;
  if (me.data && !isOther) {
    const who = nameOf(me.data);
    return (
      <Card title={t('appTitle', names)} text={t('signedInAs', { who })}>
        <PlaceOfApp app={app} />
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <Button loading={pending !== undefined} onClick={() => void send('continue')}>
          <Words text={t('continueAs', { who })} />
        </Button>
        <Button variant="default" onClick={() => setOther(true)}>
          {t(isFresh || isOtherWay ? 'signInAgain' : 'useOther')}
        </Button>
      </Card>
    );
  }
  const done = (due: Due | undefined) => (due === undefined ? void send('continue') : setDue(due));
  const codeFor = { appId: app.id ?? undefined, interactionId: id };
  if (codeTo !== undefined) {
    const back = () => setCodeTo(undefined);
    return <EmailCodeForm title={t('appTitle', names)} email={codeTo} codeFor={codeFor} done={done} back={back} />;
  }
  const ways = enabledProviders.filter((name) => name !== 'email');
  const search = { return_to: pathOf(id) };
  return (
    <Card title={t('appTitle', names)}>
      <PlaceOfApp app={app} />
      {isFresh ? <Notice>{t('appFresh', names)}</Notice> : null}
      {isOtherWay ? <Notice>{t('appOtherWay', names)}</Notice> : null}
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {enabledProviders.length === 0 ? <Problem>{t('appNoWay', names)}</Problem> : null}
      <AddressFirst returnTo={search.return_to}>
        {enabledProviders.includes('email') ? (
          <PasswordSignIn done={done} code={hasEmailCodes ? { codeFor, sent: setCodeTo } : undefined} />
        ) : null}
        <Providers action="login" returnTo={search.return_to} only={ways} isFresh={isFresh} />
      </AddressFirst>
      <Group gap="xs" justify="center">
        {t('noAccount')}
        <PageLink to="/auth/register" search={search}>
          {t('register')}
        </PageLink>
      </Group>
      <Button variant="subtle" loading={pending === 'deny'} onClick={() => void send('deny')}>
        {t('backToApp', names)}
      </Button>
    </Card>
  );
}

/** Who is signed in otherwise is led there only where the app or the organization demands it. */
function isByConnection({ reasons }: Interaction, isSignedIn: boolean): boolean {
  return !isSignedIn || reasons.some((reason) => reason === 'connection' || reason === 'connection_asked');
}

type ByConnectionProps = Pick<Interaction, 'app'> & {
  readonly id: string;
  readonly connection: NonNullable<Interaction['connection']>;
  readonly others: () => void;
};

/** Named Owners, and who has not connected the account yet, sign in in their own way. */
function ByConnection({ id, app, connection, others }: ByConnectionProps) {
  const { t } = useWords();
  return (
    <Card title={t('appTitle', { app: app.name })} text={t('byConnectionText')}>
      <PlaceOfApp app={app} />
      <Button component="a" href={connectionUrl(connection.id, pathOf(id))}>
        {t('with', { provider: connection.name })}
      </Button>
      <Button variant="default" onClick={others}>
        {t('otherWays')}
      </Button>
    </Card>
  );
}
