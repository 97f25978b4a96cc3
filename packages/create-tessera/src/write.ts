/** The files of the application, from templates. */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Arranged } from './arrange.ts';
import { type Framework, Refusal, type Wish } from './wish.ts';

const templates = fileURLToPath(new URL('../templates/', import.meta.url));
const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

const needs: Readonly<Record<Framework, Readonly<Record<string, string>>>> = {
  next: { '@tessera/next': version, '@tessera/verifier': version, next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
  express: { '@tessera/verifier': version, express: '^5.0.0', 'openid-client': '^6.8.0' },
  fastify: { '@tessera/verifier': version, fastify: '^5.0.0', 'openid-client': '^6.8.0' },
};

/** Refuses before anything is made in Tessera. */
export function assertEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Refusal(`${folder} is not empty. Name a new folder.`);
}

export function writeProject({ folder, name, framework, port }: Wish, { issuer, clientId, clientSecret, scope }: Arranged): void {
  mkdirSync(folder, { recursive: true });
  const parts = framework === 'next' ? ['next'] : ['web', framework];
  for (const part of parts) cpSync(join(templates, part), folder, { recursive: true });
  // npm leaves a file of the name .gitignore out of packages.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const scripts =
    framework === 'next'
      ? { dev: `next dev --port ${port}`, build: 'next build', start: `next start --port ${port}` }
      : { dev: 'node --env-file=.env --watch server.js', start: 'node --env-file=.env server.js' };
  const manifest = { name, version: '0.0.0', private: true, type: 'module', scripts, dependencies: needs[framework] };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const variables = {
    APP_URL: `http://localhost:${port}`,
    PORT: String(port),
    SESSION_SECRET: randomBytes(32).toString('base64'),
    TESSERA_ISSUER: issuer,
    TESSERA_CLIENT_ID: clientId,
    TESSERA_CLIENT_SECRET: clientSecret,
  };
  // Secrets: for its owner alone.
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''), { mode: 0o600 });
  const readme = join(folder, 'README.md');
  const text = readFileSync(readme, 'utf8');
  const filled = { NAME: name, PORT: String(port), SCOPE: scope };
  writeFileSync(
    readme,
    text.replace(/\{\{(\w+)\}\}/g, (_, word: string) => filled[word as keyof typeof filled] ?? ''),
  );
}
