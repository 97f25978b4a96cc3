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
  /** The script of the bar for the console's session; none where the pages are not built. */
  readonly sessionScript: string | undefined;
};

/** Dark on either theme of the page below it, and of another colour while a session is used. */
export const sessionStyle = `#console-session {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 8px 16px;
  padding: 8px 16px;
  background: #24292f;
  color: #fff;
  font: 14px/20px system-ui, sans-serif;
}
#console-session.used { background: #7a2e0b; }
#console-session p { margin: 0; min-width: 0; overflow-wrap: anywhere; }
#console-session button {
  padding: 6px 12px;
  border: 1px solid #fff;
  border-radius: 4px;
  background: transparent;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
#console-session button:hover { background: #fff3; }
#console-session button:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }
`;

export function html({ title, styles, scripts, rootId, sessionScript }: Page): string {
  const bar = sessionScript === undefined ? '' : '    <section id="console-session" aria-label="Console session"></section>\n';
  const barScript = sessionScript === undefined ? '' : `    <script type="module" src="${sessionScript}"></script>\n`;
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
${bar}    <div id="${rootId}"></div>
${scripts.map((src) => `    <script src="${src}"></script>`).join('\n')}
${barScript}  </body>
</html>
`;
}
