/**
 * Every action that can stand in the audit log of a scope: webhooks subscribe to them. Most are in
 * the declarations of operations; protocol routes and handlers name theirs where they write the
 * row.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsOf } from './references.ts';
import { SERVICES } from './services.ts';
import type { Step } from './step.ts';

const written = /\b(?:action: |audit: |audit\()'([a-zA-Z-]{2,}\.[a-z-]+)'/g;

function actionsIn(root: string): string[] {
  const files = globSync('services/*/src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  return files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(written)].map(([, action = '']) => action));
}

export const auditActions: Step = {
  name: 'audit actions',
  async make(root) {
    const operations = (await Promise.all(SERVICES.map((service) => operationsOf(root, service)))).flat();
    const declared = operations.map(({ name, audit }) => (typeof audit === 'string' ? audit : `${name}.refused`));
    const names = [...new Set([...declared, ...actionsIn(root)])].sort();
    const content = `// Generated from the code of the services by \`npm run generate\`. Do not edit.

/** The actions of the audit log. A query is there only when it was refused. */
export const auditActions: readonly string[] = [
${names.map((name) => `  '${name}',\n`).join('')}];
`;
    return [{ path: 'proto/generated/audit-actions.ts', content }];
  },
};
