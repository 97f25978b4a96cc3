/** The identity provider of an organization (decision 23). */
export const connectionStatuses = ['draft', 'active', 'disabled'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

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
