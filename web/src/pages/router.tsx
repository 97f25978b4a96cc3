import { Button } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, Outlet, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { useState } from 'react';
import { Card, Frame, Problem } from '../look/page.tsx';
import { useWords } from '../words/language.tsx';
import { AppConsent } from './app-consent.tsx';
import { AppOrganization } from './app-organization.tsx';
import { AppSignIn } from './app-sign-in.tsx';
import { Callback } from './callback.tsx';
import { Confirmed } from './confirmed.tsx';
import { Connect } from './connect.tsx';
import { Device } from './device.tsx';
import { EmailCodeLink } from './email-code.tsx';
import { ErrorPage } from './error.tsx';
import { OrganizationOfPage, useFace } from './face.ts';
import { ForgotPassword } from './forgot-password.tsx';
import { GrantOffer } from './grant-offer.tsx';
import { Invitation } from './invitation.tsx';
import { InvitationMails } from './invitation-mails.tsx';
import { Logout } from './logout.tsx';
import { Program } from './program.tsx';
import { Recovery } from './recovery.tsx';
import { Register } from './register.tsx';
import { ResetPassword } from './reset-password.tsx';
import { readPageSearch } from './search.ts';
import { SecondFactorPage } from './second-factor.tsx';
import { SetUp } from './set-up/set-up.tsx';
import { SignInTo } from './sign-in-to.tsx';
import { VerifyEmail } from './verify-email.tsx';

/** Everything in an address is text: the router's own reading would make numbers of some tokens. */
const readText = (value: string) => value;
const writeText = (value: unknown) => String(value);

const root = createRootRoute({
  validateSearch: readPageSearch,
  component: Page,
  notFoundComponent: () => <ErrorPage reason="not_found" />,
  errorComponent: Fault,
});

/** The organization that invites is known to its page alone. */
function Page() {
  const [organization, setOrganization] = useState<string>();
  return (
    <OrganizationOfPage value={setOrganization}>
      <Frame face={useFace(organization)}>
        <Outlet />
      </Frame>
    </OrganizationOfPage>
  );
}

/** A fault of ours while a page is shown. */
function Fault() {
  const { t } = useWords();
  return (
    <Frame>
      <Card title={t('errorTitle')}>
        <Problem>{t('broken')}</Problem>
        <Button onClick={() => window.location.reload()}>{t('tryAgain')}</Button>
      </Card>
    </Frame>
  );
}

const pages = {
  '/auth/sign-in': SignInTo,
  '/auth/register': Register,
  '/auth/forgot-password': ForgotPassword,
  '/auth/email-code': EmailCodeLink,
  '/auth/verify-email': VerifyEmail,
  '/auth/reset-password': ResetPassword,
  '/auth/callback': Callback,
  '/auth/confirmed': Confirmed,
  '/auth/connect': Connect,
  '/auth/second-factor': SecondFactorPage,
  '/auth/recovery': Recovery,
  '/auth/project/email': AppSignIn,
  '/auth/project/consent': AppConsent,
  '/auth/organization': AppOrganization,
  '/auth/device': Device,
  '/auth/program': Program,
  '/auth/invitation-mails': InvitationMails,
  '/auth/logout': Logout,
  '/auth/error': ErrorPage,
  '/invitations/accept': Invitation,
  '/grants/accept': GrantOffer,
  '/set-up': SetUp,
} as const;

const routes = Object.entries(pages).map(([path, component]) =>
  createRoute({ getParentRoute: () => root, path, component: () => component({}) }),
);

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch: parseSearchWith(readText),
  stringifySearch: stringifySearchWith(writeText),
  defaultErrorComponent: Fault,
});
