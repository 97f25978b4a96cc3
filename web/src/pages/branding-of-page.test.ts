import { expect, test } from '@jest/globals';
import { brandingOfPage } from './branding-of-page.ts';

const clientId = 'app_of_another_organization';

test('an invitation shows the organization that invites, whatever client_id its link has', () => {
  const pathname = '/invitations/accept';
  expect(brandingOfPage({ pathname, clientId, organization: 'o1' })).toStrictEqual({ organization: 'o1' });
  // Until the invitation is read, and when its link is dead.
  expect(brandingOfPage({ pathname, clientId, organization: undefined })).toBeUndefined();
});

test.each(['/auth/verify-email', '/auth/reset-password', '/auth/forgot-password', '/auth/project/email'])(
  '%s shows the app whose mail or sign-in led there',
  (pathname) => {
    expect(brandingOfPage({ pathname, clientId, organization: undefined })).toStrictEqual({ client_id: clientId });
    expect(brandingOfPage({ pathname, clientId: undefined, organization: undefined })).toBeUndefined();
  },
);

test.each(['/auth/sign-in', '/auth/device', '/auth/program', '/auth/connect', '/auth/logout', '/auth/project/consent', '/grants/accept'])(
  '%s shows no app that a client_id in its address names',
  (pathname) => {
    expect(brandingOfPage({ pathname, clientId, organization: undefined })).toBeUndefined();
  },
);
