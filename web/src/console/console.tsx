import { Alert, Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Choices } from '../look/choices.tsx';
import { Frame, Logo, Problem, useProductName, Waiting, Words } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { type Me, meQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { Developers } from './developers.tsx';
import { Organizations, Projects } from './places.tsx';
import { Sessions } from './sessions.tsx';

/** Who is signed in, what they have, and where else they are signed in. */
export function Console() {
  const { t } = useWords();
  const me = useQuery(meQuery);
  const [wasSignedIn, setWasSignedIn] = useState(false);
  const isLeaving = useRef(false);
  const isSignedOut = me.data === null;
  if (me.data && !wasSignedIn) setWasSignedIn(true);

  useEffect(() => {
    if (!isSignedOut || isLeaving.current) return;
    const { pathname, search: query, hash } = window.location;
    const search = new URLSearchParams({ return_to: pathname + query + hash, ...(wasSignedIn ? { reason: 'ended' } : {}) });
    window.location.replace(`/auth/sign-in?${search}`);
  }, [isSignedOut, wasSignedIn]);

  const signOut = async () => {
    isLeaving.current = true;
    await tessera.signOut();
    window.location.assign('/auth/sign-in');
  };
  if (me.data) return <Overview me={me.data} signOut={signOut} />;
  return (
    <Frame>
      {me.error ? (
        <Stack>
          <Problem>{messageOf(me.error)}</Problem>
          <Button onClick={() => void me.refetch()}>{t('tryAgain')}</Button>
        </Stack>
      ) : (
        <Waiting />
      )}
    </Frame>
  );
}

function Overview({ me, signOut }: { readonly me: Me; readonly signOut: () => Promise<void> }) {
  const { t } = useWords();
  const product = useProductName();
  useEffect(() => {
    document.title = product;
  }, [product]);
  return (
    <div className="console">
      <header>
        <Logo />
        <SignOut signOut={signOut} />
      </header>
      <main>
        <Stack gap="lg">
          <div>
            <Title order={1} className="wrap">
              {t('hello', { name: me.user.name })}
            </Title>
            <span className="wrap">{me.email}</span>
          </div>
          {me.isVerified ? null : <VerifyBanner email={me.email ?? ''} />}
          <div className="tiles">
            <Organizations me={me} />
            <Projects me={me} />
            <Sessions />
            <Developers />
          </div>
        </Stack>
      </main>
      <footer>
        <Choices />
      </footer>
    </div>
  );
}

function SignOut({ signOut }: { readonly signOut: () => Promise<void> }) {
  const { t } = useWords();
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const leave = () => {
    setPending(true);
    signOut().catch((error: unknown) => {
      setProblem(messageOf(error));
      setPending(false);
    });
  };
  return (
    <Button variant="default" size="sm" loading={isPending} onClick={leave}>
      {problem ?? t('signOut')}
    </Button>
  );
}

function VerifyBanner({ email }: { readonly email: string }) {
  const { t } = useWords();
  const [said, setSaid] = useState<string>();
  const [isPending, setPending] = useState(false);
  const again = () => {
    setPending(true);
    return tessera.resendVerification({ email }).then(
      () => setSaid(t('sentAgain')),
      (error: unknown) => setSaid(messageOf(error)),
    );
  };
  return (
    <Alert variant="outline" color="indigo" className="wrap">
      <Group justify="space-between">
        <span>
          <Words text={t('verifyBanner', { email })} />
        </span>
        {said === undefined ? (
          <Button size="sm" variant="default" loading={isPending} onClick={() => void again()}>
            {t('sendAgain')}
          </Button>
        ) : (
          <span role="status">{said}</span>
        )}
      </Group>
    </Alert>
  );
}
