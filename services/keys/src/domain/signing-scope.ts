/** The platform, or one project: each has its own signing keys. */
export type SigningScope =
  | { readonly tenant: 'system'; readonly id: '' }
  | { readonly tenant: 'accountProject' | 'organizationProject'; readonly id: string };

export type ProjectScope = Exclude<SigningScope, { tenant: 'system' }>;

export const systemScope: SigningScope = Object.freeze({ tenant: 'system', id: '' });

/**
 * The `iss` of the scope's tokens. Its JWKS is published below this address (specification, signing
 * scopes).
 */
export function issuerOf(scope: SigningScope, appUrl: string): string {
  if (scope.tenant === 'system') return appUrl;
  const [parentId, projectId] = scope.id.split(':');
  return `${appUrl}/${scope.tenant === 'organizationProject' ? 'org' : 'acc'}/${parentId}/prj/${projectId}`;
}

export type Parent = { readonly tenant: 'account' | 'organization'; readonly id: string };

/** The account or organization of a project. Its deletion ends the project's keys. */
export function parentOf({ tenant, id }: ProjectScope): Parent {
  return { tenant: tenant === 'organizationProject' ? 'organization' : 'account', id: id.slice(0, id.indexOf(':')) };
}
