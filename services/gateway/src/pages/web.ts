import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { failures } from '@tessera/kernel/errors';
import type { FastifyInstance } from 'fastify';
import type { NotFoundPage } from '../edge/failures.ts';
import { file, serveAsset } from './assets.ts';

/** Nothing from another host, and nothing inline but the styles that the build has put into it. */
function policyOf(html: string): string {
  const styles = [...html.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = '']) => ` 'sha256-${hashOf(style)}'`);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles.join('')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');

function documentHeaders(html: string) {
  return {
    'content-security-policy': policyOf(html),
    'cross-origin-opener-policy': 'same-origin',
    // Links in mails carry one-time tokens.
    'referrer-policy': 'no-referrer',
  };
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
};
const yearSeconds = 31_536_000;
/** The paths of each entry of web/. */
const entries = {
  'pages.html': ['/auth/*', '/invitations/accept', '/grants/accept', '/set-up'],
  'console.html': ['/console', '/console/*'],
} as const;

/** The script by which our pages for developers use the console's session. */
export function sessionScriptOf(folder: string): string | undefined {
  const name = readdirSync(join(folder, 'assets')).find((each) => /^api-tools-[\w-]+\.js$/.test(each));
  return name === undefined ? undefined : `/assets/${name}`;
}

/** The hosted pages at an address that is none of theirs: they say so, in the person's language. */
export function notFoundPage(folder: string): NotFoundPage {
  const html = readFileSync(join(folder, 'pages.html'), 'utf8');
  const headers = { ...documentHeaders(html), 'cache-control': 'no-store' };
  return (_request, reply) =>
    reply
      .code(404)
      .type(types['.html'] ?? '')
      .headers(headers)
      .send(html);
}

/**
 * The hosted pages and the console, from the folder that `web/` is built into. Their files have
 * a limit of their own: one page needs several.
 */
export function installWeb(app: FastifyInstance, folder: string): void {
  const config = { limit: 'public' } as const;
  const page = (name: string) => serveAsset(file(join(folder, name), types['.html'] ?? '', 0));
  for (const [name, paths] of Object.entries(entries)) {
    const serve = page(name);
    const headers = documentHeaders(readFileSync(join(folder, name), 'utf8'));
    for (const path of paths) app.get(path, { config }, (request, reply) => serve(request, reply.headers(headers)));
  }
  for (const name of readdirSync(join(folder, 'assets'))) {
    const type = types[extname(name)];
    // The names hold a hash of the content.
    if (type !== undefined) app.get(`/assets/${name}`, { config }, serveAsset(file(join(folder, 'assets', name), type, yearSeconds, true)));
  }
  app.get('/', { config }, (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) throw failures.routeNotFound();
    return reply.redirect('/console', 302);
  });
}
