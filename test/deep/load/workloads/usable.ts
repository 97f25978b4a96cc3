import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { buildWeb } from '../../../../tools/start/web.ts';
import { credentials } from '../../../support/load/tenant.ts';
import type { Bench } from '../bench.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

const promise = { atMost: 1_000 } as const;
const patienceMs = 30_000;

/** A page, and what is there when a person can use it. */
type Look = { readonly name: string; readonly path: string; readonly usable: string };
const pages: readonly Look[] = [
  { name: 'sign-in page', path: '/auth/sign-in', usable: 'input[type="password"]:enabled' },
  { name: 'console, start', path: '/console', usable: 'h1' },
  { name: 'console, members', path: '/console/org/ORGANIZATION/members', usable: 'table.rows tbody tr' },
];

export const usable: Workload = {
  name: 'usable',
  about: 'from the request of a page until a person can use it, in Chromium on loopback',
  prepare: () => buildWeb(() => undefined),
  async run(bench) {
    const executablePath = [process.env['TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
      (path) => path !== undefined && existsSync(path),
    );
    if (executablePath === undefined) throw new Error('There is no Chromium here (TEST_CHROMIUM names one)');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: patienceMs });
    try {
      return [...(await measure(bench, browser)), await firstPicture(bench, browser)];
    } finally {
      await browser.close();
    }
  },
};

async function measure({ stack, tenant, isQuick }: Bench, browser: Browser): Promise<readonly Result[]> {
  const rounds = isQuick ? 5 : 11;
  const results: Result[] = [];
  for (const { name, path, usable: selector } of pages) {
    const times = { first: [] as number[], again: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      // A new context has an empty cache. It signs in by a request, so that no page was loaded yet.
      const context = await browser.newContext({ locale: 'en' });
      if (path.startsWith('/console')) await signIn(context, stack.url, tenant.owner.email);
      const url = stack.url + path.replace('ORGANIZATION', tenant.organizationId);
      times.first.push(await timeOf(context, url, selector));
      times.again.push(await timeOf(context, url, selector));
      await context.close();
    }
    results.push(resultOf(`${name}, first visit`, times.first), resultOf(`${name}, again`, times.again));
  }
  return results;
}

async function signIn(context: BrowserContext, url: string, email: string): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/login`, { data: credentials(email), headers: { origin: url } });
  if (!answer.ok()) throw new Error(`The sign-in answered ${answer.status()}`);
}

/** On a line of 50 kB/s and 400 ms: until something is drawn, and not a blank window. */
async function firstPicture({ stack, isQuick }: Bench, browser: Browser): Promise<Result> {
  const times: number[] = [];
  for (let round = 0; round < (isQuick ? 3 : 5); round += 1) {
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
    await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', line);
    await page.goto(`${stack.url}/auth/sign-in`);
    times.push(Number(await page.evaluate("performance.getEntriesByName('first-paint')[0]?.startTime ?? NaN")));
    await context.close();
  }
  return resultOf('first picture of the sign-in page at 50 kB/s and 400 ms', times);
}

/** Notes in each frame when it is first there: polling from outside may be half a second late. */
const noteWhenThere = (selector: string) => `{
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)})) window.usableAt ??= performance.now();
    else requestAnimationFrame(look);
  };
  look();
}`;

/** Milliseconds from the navigation, by the page's own clock. */
async function timeOf(context: BrowserContext, url: string, selector: string): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(noteWhenThere(selector));
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(selector).first().waitFor({ timeout: patienceMs });
  const took = Number(await page.evaluate('window.usableAt'));
  await page.close();
  return took;
}

function resultOf(workload: string, times: readonly number[]): Result {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const note = `median of ${times.length}; slowest ${(sorted.at(-1) ?? 0).toFixed(0)} ms`;
  return { workload: `usable: ${workload}`, unit: 'ms', measured: middle, promise, failures: 0, note };
}
