/** A device is signed in to an app of a project: a foreign client, and a person in a browser. */
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import * as openid from 'openid-client';
import { look, skip } from '../../support/browser/browser.ts';
import { heading, open, press, register, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

async function startDevice() {
  const shop = await signIns().createShop();
  const { clientId } = await shop.createApp({ type: 'native', redirectUris: ['http://127.0.0.1/cb'], scopes: ['order:read'] });
  const options = { execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(issuerOf(signIns().stack.url, shop.project)), clientId, undefined, openid.None(), options);
  const begin = () => openid.initiateDeviceAuthorization(config, { scope: 'openid email offline_access order:read' });
  return { config, begin };
}

testUnless(skip)('a person types the code of a device, signs in and allows it; another one is refused', async () => {
  const address = await register(await open());
  const { config, begin } = await startDevice();
  const device = await begin();
  const { page, complaints } = await open();

  await page.goto(device.verification_uri);
  await heading(page, 'Sign in a device');
  await look(page, '45-device-code');
  await page.getByLabel('Code').fill('BCDF-GHJK');
  await press(page, 'Continue');
  await page.getByText('This code is wrong or has expired').waitFor();
  await look(page, '46-device-wrong');
  await page.getByLabel('Code').fill(device.user_code.toLowerCase());
  await press(page, 'Continue');
  await heading(page, 'Sign in to Shop');
  await signIn(page, address);
  await heading(page, 'Sign in Shop on your device?');
  await page.getByText('Web · Acme').waitFor();
  await look(page, '47-device-confirm');
  await press(page, 'Allow');
  await heading(page, 'Your device is signed in');
  await look(page, '48-device-done');
  const tokens = await openid.pollDeviceAuthorizationGrant(config, device);
  const { email } = await openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck);
  expect(email).toBe(address);

  // With the code in the address nothing is sent before the person has compared it.
  const second = await begin();
  await page.goto(second.verification_uri_complete ?? '');
  await page.getByText('Does your device show this very code?').waitFor();
  expect(await page.getByLabel('Code').inputValue()).toBe(second.user_code);
  await look(page, '49-device-compare');
  await press(page, 'Continue');
  await heading(page, 'Sign in Shop on your device?');
  await press(page, 'Refuse');
  await heading(page, 'Your device was not signed in');
  await expect(openid.pollDeviceAuthorizationGrant(config, second)).rejects.toMatchObject({ error: 'access_denied' });
  expect(complaints.filter((line) => !line.includes('400'))).toStrictEqual([]);
});
