/** Where organizations have identity providers, the sign-in page asks for the address first. */
import { expect } from '@jest/globals';
import { look, skip } from '../../support/browser/browser.ts';
import { at, heading, open, password, press, register, shareStack } from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

const connection = '01a2193b-0838-73cc-a8e1-fd1649442b31';

testUnless(skip)('no form is shown, and replaced, before the ways to sign in are known', async () => {
  const { page, complaints } = await open();
  let answer: () => void = () => undefined;
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/auth/options', async (route) => {
    await mayAnswer;
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, data: { ...json.data, hasConnections: true, hasUsers: true } } });
  });
  await page.goto(at('/auth/sign-in'));
  await heading(page, /^Sign in to /);
  await page.getByRole('status').or(page.getByLabel('Email address')).first().waitFor();
  expect(await page.getByLabel('Email address').count()).toBe(0);
  answer();
  await page.getByLabel('Email address').waitFor();
  expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the domain of the address leads to the organization’s provider; another address goes on here', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  // Other files share the stack, and their pages ask for all at once: the answers are changed here.
  await page.route('**/api/auth/options', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, data: { ...json.data, hasConnections: true } } });
  });
  await page.route('**/api/auth/discover', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    expect(json.data.connection).toBeNull();
    const isTheirs = route.request().postData()?.includes('@acme.example') === true;
    await route.fulfill({
      response,
      json: { ...json, data: { ...json.data, connection: isTheirs ? { id: connection, name: 'Acme' } : null } },
    });
  });
  let provider = '';
  await page.route('**/api/auth/connections/**', async (route) => {
    provider = route.request().url();
    await route.fulfill({ contentType: 'text/html', body: '<h1>Acme</h1>' });
  });
  await page.goto(at('/auth/sign-in'));
  await heading(page, /^Sign in to /);
  await page.getByLabel('Email address').waitFor();
  expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
  await look(page, '93-address-first');
  await page.getByLabel('Email address').fill('ada@acme.example');
  await press(page, 'Continue');
  await heading(page, 'Acme');
  const { pathname, searchParams } = new URL(provider);
  expect(pathname).toBe(`/api/auth/connections/${connection}`);
  expect(Object.fromEntries(searchParams)).toStrictEqual({ action: 'login', redirect: '/auth/callback', login_hint: 'ada@acme.example' });
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('Email address').fill(address);
  await press(page, 'Continue');
  await page.locator('input[type="password"]:focus').fill(password);
  await press(page, 'Sign in');
  await heading(page, 'Hello Ada Lovelace');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an organization’s provider that is down is named, and leads there again and past it', async () => {
  const { page, complaints } = await open();
  await page.route('**/api/auth/options', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, data: { ...json.data, hasConnections: true, hasUsers: true } } });
  });
  await page.goto(at(`/auth/callback?error=temporarily_unavailable&connection=${connection}`));
  await page.getByText('The sign-in of your organization does not answer just now.').waitFor();
  const again = await page.getByRole('link', { name: 'Try again' }).getAttribute('href');
  expect(new URL(again ?? '', page.url()).pathname).toBe(`/api/auth/connections/${connection}`);
  await look(page, '93-provider-down');
  await page.getByRole('link', { name: 'Sign in another way' }).click();
  await page.getByLabel('Password', { exact: true }).waitFor();
  // The same from the page that asks for the address: it would lead there once more.
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('Email address').waitFor();
  expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
  await press(page, 'Sign in another way');
  await page.getByLabel('Password', { exact: true }).waitFor();
  expect(complaints).toStrictEqual([]);
});
