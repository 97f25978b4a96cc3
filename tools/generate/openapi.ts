import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { operations as identity } from '../../services/identity/src/operations/index.ts';
import { operations as keys } from '../../services/keys/src/operations/index.ts';
import { operations as rbac } from '../../services/rbac/src/operations/index.ts';
import { operations as tenancy } from '../../services/tenancy/src/operations/index.ts';
import { openApiPaths } from './openapi-paths.ts';
import { joinSamePaths } from './openapi-same-paths.ts';
import type { Step } from './step.ts';

/** The REST reference: for readers in docs/, and for the gateway that serves it. */
export const openApi: Step = {
  name: 'openapi',
  make: async (root) => {
    const { paths, ...described } = await apiDocument(root);
    const document = { ...described, paths: joinSamePaths(paths) };
    return [
      { path: 'docs/openapi.json', content: `${JSON.stringify(document, null, 2)}\n` },
      { path: 'services/gateway/generated/openapi.json', content: JSON.stringify(document) },
    ];
  },
};

/** The document as it is generated now, also for the steps that start from it. */
export async function apiDocument(root: string) {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0';
  const paths = { identity: openApiPaths(identity), tenancy: openApiPaths(tenancy), rbac: openApiPaths(rbac), keys: openApiPaths(keys) };
  return openApiDocument(paths, version);
}
