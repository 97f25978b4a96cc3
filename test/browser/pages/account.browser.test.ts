/**
 * The first visit, the way into an account of one’s own, and what a page weighs. On a stack of its
 * own: only where no one is registered yet is the visitor the first.
 */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { look, skip } from '../../support/browser/browser.ts';
import {
  at,
  fillRegistration,
  follow,
  heading,
  linkTo,
  newAddress,
  open,
  openOwnMenu,
  password,
  press,
  register,
  signIn,
  startStackOnce,
} from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

startStackOnce();

testUnless(skip)('the first visitor is greeted, registers, confirms the address, uses the console, signs out and in again', async () => {
  const visitor = await open();
  const { page, complaints } = visitor;
  await page.goto(at('/'));
  await heading(page, 'Welcome to Tessera');
  await look(page, '01-first-visit');

  await press(page, 'Create account');
  await page.getByText('Enter your name.').waitFor();
  await expect(page.locator(':focus').getAttribute('name')).resolves.toBe('name');
  await page.getByLabel('Password', { exact: true }).fill('Abc1');
  await look(page, '02-register-faults');

  const address = newAddress();
  await fillRegistration(page, address);
  // This stack sends no mail, and the page says so.
  await page.getByText('This installation keeps its mails in a folder instead of sending them').waitFor();
  await look(page, '03-mailbox');
  await press(page, 'Continue without it for now');
  await page.getByText('Confirm your address').waitFor();
  await look(page, '04-console-unverified');

  const link = await linkTo(address, 'verify-email');
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm address' }).waitFor();
  expect(page.url()).toBe(at('/auth/verify-email'));
  await look(page, '05-verify');
  await page.reload(); // it spends nothing, and the tab still has the link
  await press(page, 'Confirm address');
  await heading(page, 'Your address is confirmed');
  await look(page, '06-verified');

  await page.goto(link);
  await press(page, 'Confirm address');
  await page.getByText('There is nothing left to do').waitFor();
  await look(page, '07-verify-again');
  await follow(page, /Continue as/);

  await heading(page, 'Hello Ada Lovelace');
  await page.getByLabel('Name of a new organization').fill('Acme');
  await page.getByRole('button', { name: 'Create', exact: true }).first().click();
  await heading(page, 'Acme');
  await look(page, '08-console');

  await openOwnMenu(page);
  await press(page, 'Sign out');
  await heading(page, 'Sign in to Tessera');
  await look(page, '09-sign-in');
  await signIn(page, address, 'wrong');
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(address);
  await look(page, '10-sign-in-refused');
  await signIn(page, address);
  await heading(page, 'Hello Ada Lovelace');
  await page.goto(at('/auth/sign-in'));
  await page.getByRole('button', { name: /Continue as/ }).waitFor();
  await look(page, '11-sign-in-already');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an address that is taken is said so at its field, and what was typed is kept', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  await page.goto(at('/auth/register'));
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  const field = page.getByLabel('Email address');
  await page.getByText('An account with this address exists already').waitFor();
  expect([await field.getAttribute('aria-invalid'), await field.inputValue()]).toStrictEqual(['true', address]);
  expect(await page.getByLabel('Your name').inputValue()).toBe('Grace');
  await look(page, '12-register-taken');
  await page.locator('form').getByRole('link', { name: 'Sign in' }).click();
  await heading(page, 'Sign in to Tessera');
  await signIn(page, address);
  await heading(page, /^Hello/);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the keyboard alone is enough, in German, without an account', async () => {
  const address = await register(await open());
  const { page, complaints } = await open({ locale: 'de-DE' });
  await page.goto(at('/auth/sign-in?return_to=https://evil.example/'));
  await heading(page, 'Bei Tessera anmelden');
  await page.keyboard.press('Tab');
  await page.keyboard.type(address);
  await page.keyboard.press('Tab');
  await page.keyboard.type('falsch');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Passwort').waitFor();
  await page.getByLabel('Passwort', { exact: true }).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await heading(page, /^Hallo/);
  expect(page.url()).toBe(at('/console'));
  expect(complaints).toStrictEqual([]);
});

test('the first page is less than 200 kB compressed, the console less than 400 kB, and their files never change', async () => {
  if (skip) return;
  for (const [path, most] of [
    ['/auth/sign-in', 200_000],
    ['/console', 400_000],
  ] as const) {
    const response = await fetch(at(path));
    const document = await response.text();
    // One style stands in the page, for its first moment; the policy allows it by its hash alone.
    const inline = [...document.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = '']) =>
      createHash('sha256').update(style).digest('base64'),
    );
    expect(inline).toHaveLength(1);
    expect(response.headers.get('content-security-policy')).toContain(`script-src 'self'; style-src 'self' 'sha256-${inline[0]}';`);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(document).not.toMatch(/<script(?![^>]*\ssrc=)|<style\s|\sstyle=|\son\w+=|https?:\/\//);
    let bytes = 0;
    for (const [, file = ''] of document.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const asset = await fetch(at(file), { headers: { 'accept-encoding': 'br' } });
      expect([asset.status, asset.headers.get('cache-control')]).toStrictEqual([200, 'public, max-age=31536000, immutable']);
      bytes += (await compressedSize(at(file))) ?? 0;
    }
    console.info(`${path}: ${bytes} bytes compressed`);
    expect(bytes).toBeLessThan(most);
  }
});

/** As sent over the wire: fetch would show the size after unpacking. */
async function compressedSize(url: string): Promise<number> {
  const { request } = await import('undici');
  const { body } = await request(url, { headers: { 'accept-encoding': 'br' } });
  return (await body.arrayBuffer()).byteLength;
}
