/** A real browser on the real stack: what every test of the pages starts from. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { makeCertificate, withoutOpenssl } from '../../../services/gateway/src/testing/certificate.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { until } from '../until.ts';

function firstOf(names: readonly string[]): string | undefined {
  return [process.env['TEST_CHROMIUM'], ...names.map((name) => `/usr/bin/${name}`)].find((path) => path !== undefined && existsSync(path));
}
/** The shell draws no window around the page, which saves a third of a browser's time. */
const browserPath = firstOf(['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']);
export const skip = withoutOpenssl || (browserPath === undefined && 'NOT RUN in a browser: no Chromium here (TEST_CHROMIUM names one)');

/** Where screenshots are kept, to be looked at. */
export const pictures = join(repositoryFolder, 'coverage', 'pages');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const patienceMs = 30_000;

export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Requests that left this machine, errors of scripts, and refusals of the security policy. */
  readonly complaints: string[];
};

export type OpenVisitor = (options?: BrowserContextOptions) => Promise<Visitor>;

/**
 * The browser of this test process, and what it finds where the app has its address. They end with
 * the process.
 */
const shared = globalThis as { [browserKey]?: Promise<Browser> };
const browserKey = Symbol.for('tessera.test.browser');

/** An app's own address, where a sign-in to it ends. No other host is found but this machine. */
const appHost = 'shop.example';

async function startApp(): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const { cert, key } = makeCertificate(cleanup);
  const app = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>The app</title><h1>The app</h1>');
  });
  app.listen(0, '127.0.0.1').unref();
  await once(app, 'listening');
  return (app.address() as AddressInfo).port;
}

/** A browser that does not keep the worker of Jest alive, which nothing tells to close it. */
async function launch(): Promise<Browser> {
  const hosts = `MAP ${appHost} 127.0.0.1:${await startApp()}, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1`;
  const args = ['--no-sandbox', `--host-resolver-rules=${hosts}`];
  const started: ChildProcess[] = [];
  const note = (message: unknown) => started.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    return await chromium.launch({ executablePath: browserPath ?? '', args, timeout: patienceMs });
  } finally {
    unsubscribe('child_process', note);
    for (const child of started) {
      child.unref();
      for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref();
    }
  }
}

/** One browser for all files of a process; each visitor has cookies and storage of its own. */
export async function openBrowser(cleanup: AsyncDisposableStack): Promise<OpenVisitor> {
  mkdirSync(pictures, { recursive: true });
  return async (options = {}) => {
    shared[browserKey] ??= launch();
    const browser = await shared[browserKey];
    const context = await browser.newContext({
      locale: 'en',
      viewport: { width: 1440, height: 900 },
      // The app's certificate is its own.
      ignoreHTTPSErrors: true,
      // Nothing waits for a movement that no test looks at.
      reducedMotion: 'reduce',
      ...options,
    });
    cleanup.defer(() => context.close());
    context.setDefaultTimeout(patienceMs);
    const complaints: string[] = [];
    context.on('request', (request) => isHere(request.url()) || complaints.push(`request to ${request.url()}`));
    const page = await context.newPage();
    follow(page, complaints);
    context.on('page', (another) => follow(another, complaints));
    return { context, page, complaints };
  };
}

function isHere(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return ['data:', 'blob:'].includes(protocol) || ['localhost', '127.0.0.1', appHost].includes(hostname);
}

function follow(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  // A refusal by the server is shown by the browser as a resource that failed to load.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
}

const sizes = { narrow: { width: 360, height: 740 }, wide: { width: 1440, height: 900 } } as const;

/** Between the themes only colors differ. */
const rules = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

/**
 * Pictures take time, and no test reads them: `PICTURES=some` keeps two of four and the German one,
 * `PICTURES=all` each size in each theme.
 */
const kept = { some: /^(wide-light|narrow-dark|narrow-german)$/, all: /./ }[process.env['PICTURES'] ?? ''] ?? /^$/;

export async function keepPicture(page: Page, name: string, size = 'wide-light'): Promise<void> {
  if (kept.test(size)) await page.screenshot({ path: join(pictures, `${name}-${size}.png`), fullPage: true });
}

/** Of WCAG 2.2 AA, as axe-core finds it; in the dark theme of the colors alone. */
export async function expectNoViolation(page: Page, name: string, colorScheme: keyof typeof rules): Promise<void> {
  // The policy of the page allows no script of ours inside it; the debugger may run one.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  const violations = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules[colorScheme])}, resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  expect([name, colorScheme, violations]).toStrictEqual([name, colorScheme, []]);
}

/**
 * Looks at the page narrow and wide, light and dark, and in German, and expects no violation of
 * WCAG 2.2 AA that axe-core finds, and nothing wider than the window.
 */
export async function look(page: Page, name: string): Promise<void> {
  // A dialog that gives way to the next one is still drawn while it leaves.
  await until(async () => (await page.getByRole('dialog').count()) < 2);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      // What a size changes is drawn by now; a theme changes no size.
      if (colorScheme === 'light') await page.waitForTimeout(50);
      await keepPicture(page, name, `${size}-${colorScheme}`);
      expect([name, size, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toStrictEqual([name, size, 0]);
    }
    await expectNoViolation(page, name, colorScheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await lookInGerman(page, name);
  await page.setViewportSize(sizes.wide);
}

/** The switch of the language keeps what was typed; German words are longer, and must fit too. */
async function lookInGerman(page: Page, name: string): Promise<void> {
  const typed = () => page.evaluate(`[...document.querySelectorAll('input')].map(({ value }) => value)`);
  const before = await typed();
  await page.setViewportSize(sizes.narrow);
  const language = page.locator('.choices select').first();
  // The narrow console has the choice in its drawer.
  if (new URL(page.url()).pathname.startsWith('/console')) return;
  await language.selectOption('de');
  await page.locator('html[lang=de]').waitFor();
  await keepPicture(page, name, 'narrow-german');
  expect([name, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toStrictEqual([name, 0]);
  await language.selectOption('en');
  expect([name, await typed()]).toStrictEqual([name, before]);
}
