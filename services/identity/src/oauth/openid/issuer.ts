import { createHash } from 'node:crypto';
import { isId } from '@tessera/kernel/ids';
import { issuerOf } from '@tessera/kernel/tokens';
import type { ProjectScope } from '../../ground/domain/project-app.ts';

/** An OpenID provider: of a project, or of the platform. */
export type Issuer = {
  /** The `iss` of its tokens. */
  readonly url: string;
  readonly scope: ProjectScope | undefined;
  /** Stands in the names of its cookies. */
  readonly key: string;
};

export function issuerOfScope(scope: ProjectScope | undefined, appUrl: string): Issuer {
  const url = issuerOf(appUrl, scope ?? { tenant: 'system', id: '' });
  return { url, scope, key: createHash('sha256').update(url).digest('hex').slice(0, 16) };
}

/** The issuer with this address: the other way round. */
export function issuerOfUrl(url: string, appUrl: string): Issuer | undefined {
  const path = /^\/(org|acc)\/([^/]+)\/prj\/([^/]+)$/.exec(url.slice(appUrl.length));
  if (path === null) return url === appUrl ? issuerOfScope(undefined, appUrl) : undefined;
  const [, kind, parentId = '', projectId = ''] = path;
  if (!isId(parentId) || !isId(projectId)) return undefined;
  const tenant = kind === 'org' ? 'organizationProject' : 'accountProject';
  return issuerOfScope({ tenant, id: `${parentId}:${projectId}` }, appUrl);
}

export function requireIssuer(url: string, appUrl: string): Issuer {
  const issuer = issuerOfUrl(url, appUrl);
  if (issuer === undefined) throw new Error(`${url} is no issuer`);
  return issuer;
}
