import { Burger, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Frame, Logo, Waiting } from '../../look/page.tsx';
import { forgetSignedIn, rememberSignedIn, wasSignedInHere } from '../../session/signed-in-here.ts';
import { acting, meQuery, ownTessera } from '../../session/tessera.ts';
import { MeProvider } from '../base/me.tsx';
import { useFocusMemory } from '../base/modal.tsx';
import { Retry } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { ActingBanner } from './acting.tsx';
import { Finder } from './finder.tsx';
import { Navigation } from './navigation.tsx';
import { ProveIdentity } from './prove-identity.tsx';
import type { SignOutOptions } from './sign-out.tsx';

/** The frame of the console. Without a session it leads to the sign-in, and from there back here. */
export function Shell() {
  const me = useQuery(meQuery);
  const isLeaving = useRef(false);
  const isSignedOut = me.data === null;
  const isSignedIn = Boolean(me.data);

  useEffect(() => {
    if (isSignedIn) rememberSignedIn();
  }, [isSignedIn]);
  useEffect(() => {
    if (!isSignedOut || isLeaving.current) return;
    const { pathname, search, hash } = window.location;
    const query = new URLSearchParams({ return_to: pathname + search + hash, ...(wasSignedInHere() ? { reason: 'ended' } : {}) });
    window.location.replace(`/auth/sign-in?${query}`);
  }, [isSignedOut]);

  const signOut = async (options?: SignOutOptions) => {
    isLeaving.current = true;
    forgetSignedIn();
    // The access ends with the supporter's session, and this tab with it.
    if (acting !== undefined) sessionStorage.clear();
    await ownTessera.signOut(options);
    window.location.assign('/auth/sign-in');
  };
  if (me.data) {
    return (
      <MeProvider value={me.data}>
        <Console signOut={signOut} />
      </MeProvider>
    );
  }
  return <Frame>{me.error ? <Retry error={me.error} again={() => void me.refetch()} /> : <Waiting />}</Frame>;
}

function Console({ signOut }: { readonly signOut: (options?: SignOutOptions) => Promise<void> }) {
  const { t } = useTexts();
  const { pathname } = useLocation();
  const [isOpen, drawer] = useDisclosure();
  const [isFinding, finder] = useDisclosure();
  const { close } = drawer;
  const main = useRef<HTMLElement>(null);
  useHotkeys([['mod+K', finder.open]], []);
  useFocusMemory();
  useEffect(() => {
    if (pathname !== '') close();
  }, [pathname, close]);
  const navigation = <Navigation find={finder.open} signOut={signOut} />;
  return (
    <div className={acting === undefined ? 'shell' : 'shell is-acting'}>
      <ActingBanner />
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('skip')}
      </button>
      <header className="top">
        <Burger opened={isOpen} onClick={drawer.toggle} size="sm" aria-label={t('menu')} aria-expanded={isOpen} />
        <Logo />
      </header>
      <aside className="side">{navigation}</aside>
      <Drawer
        opened={isOpen}
        onClose={close}
        size="18rem"
        title={t('menu')}
        closeButtonProps={{ 'aria-label': t('close') }}
        padding="md"
        classNames={{ content: 'drawer', body: 'drawer-body' }}
      >
        {navigation}
      </Drawer>
      <main className="screen" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <ProveIdentity />
      {isFinding ? <Finder close={finder.close} /> : null}
    </div>
  );
}
