/** The identity provider of an organization (decision 23). */
export const connectionStatuses = ['draft', 'active', 'disabled'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export const connectionTypes = ['oidc', 'saml'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** A SAML provider, as its metadata says it. Certificates are base64 of DER. */
export type SamlProvider = {
  readonly metadataUrl: string | null;
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly certificates: readonly string[];
};

/** Who has the value in the claim gets the role: here, or where a project of others is used. */
export type MappedRole = { readonly claim: string; readonly value: string; readonly roleId: string; readonly grantId: string | null };

/** Whose right to give the role counts, at each gift. */
export type Mapper = { readonly mappedBy: string; readonly isMappedByService: boolean };

/** Of a mapping from before, the maker of the connection. */
export type RoleMapping = MappedRole & Partial<Mapper>;

export function isSameMapping(one: MappedRole, other: MappedRole): boolean {
  return one.claim === other.claim && one.value === other.value && one.roleId === other.roleId && one.grantId === other.grantId;
}

/** What was kept of a claim; `isCut` where values were left out. */
export type KeptClaim = { readonly name: string; readonly values: readonly string[]; readonly isCut: boolean };

const prefix = 'connections/';

/** What a way to sign in by this connection has as its provider: its path below /api/auth. */
export function providerOfConnection(id: string): string {
  return prefix + id;
}

export function isConnection(provider: string): boolean {
  return provider.startsWith(prefix);
}

/** Undefined for a way to sign in that is no connection. */
export function connectionOfProvider(provider: string): string | undefined {
  return isConnection(provider) ? provider.slice(prefix.length) : undefined;
}

/** A person at an organization's provider, and when it said so. */
export type UpstreamSession = { readonly subject: string; readonly sid?: string | undefined; readonly sinceMs: number };
