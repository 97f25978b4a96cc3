/** Our two pages load only their own files. Both set styles from scripts. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of our pages. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export type Page = {
  readonly title: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly rootId: string;
};

export function html({ title, styles, scripts, rootId }: Page): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
${styles.map((href) => `    <link rel="stylesheet" href="${href}">`).join('\n')}
  </head>
  <body>
    <div id="${rootId}"></div>
${scripts.map((src) => `    <script src="${src}"></script>`).join('\n')}
  </body>
</html>
`;
}
