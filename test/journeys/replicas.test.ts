/** With a shared Redis one replica of identity finishes what another started. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { pressedLink, waitForMail } from '../support/mail.ts';
import { redirectUri, startSignIn } from '../support/sign-in.ts';
import { describeUnless } from '../support/unless.ts';
import { dataOf } from '../support/world.ts';

const redisUrl = process.env.TEST_REDIS_URL;
const skip = redisUrl ? false : 'NOT RUN against Redis: TEST_REDIS_URL is not set';
/** By chance alone, a sign-in of four steps would stay on one replica one time in eight. */
const times = 12;

describeUnless(skip)('sign-in across two replicas of identity', () => {
  let signIn: Awaited<ReturnType<typeof startSignIn>>;
  beforeAll(async () => {
    // A database of its own within that server: others count their limits in the first.
    signIn = await startSignIn({ replicas: { identity: 2 }, env: { REDIS_URL: `${redisUrl}/1` } });
  });
  afterAll(() => signIn.close());

  test('to the platform by provider, with the code of a command line', async () => {
    const { stack, newUser, signInToPlatform } = signIn;
    for (let time = 0; time < times; time += 1) {
      const { browser, end } = await signInToPlatform(newUser(), 'action=register');
      const { accessToken } = dataOf(await browser.post('/api/auth/cli-callback', { code: end.searchParams.get('code') }));
      dataOf(await createClient(stack.url).get('/api/me', accessToken));
    }
  });

  test('to an app by provider', async () => {
    const { newUser, signInToApp, createShop, decide } = signIn;
    const { createApp } = await createShop();
    const app = await createApp();
    for (let time = 0; time < times; time += 1) {
      const { access_token: token = '' } = await signInToApp(app, newUser());
      expect((await decide(token, 'order', 'read'))[0]).toBe(true);
    }
  });

  test('to an app by magic link, which is good once, whichever replica is asked', async () => {
    const { stack, openBrowser, createShop } = signIn;
    const { createApp } = await createShop();
    const app = await createApp();
    for (let time = 0; time < times; time += 1) {
      const email = `${randomUUID()}@example.com`;
      await openBrowser().post('/api/auth/project/email/request', {
        client_id: app.clientId,
        redirect_uri: redirectUri,
        state: 's',
        email,
      });
      const link = pressedLink(await waitForMail(stack.dataDir, email, 'magic-link'));
      const ends = await Promise.all([1, 2, 3, 4].map(() => openBrowser().get(link)));
      expect(ends.filter(({ location }) => location.hash.includes('access_token='))).toHaveLength(1);
    }
  });
});
