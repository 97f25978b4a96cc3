/** A derived value needs no row, and parallel requests cannot overwrite it. */
import { hash } from 'node:crypto';

function derived(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}

/** The `sid` of a session at one client. */
export function sidOf(issuerUrl: string, sessionId: string, clientId: string): string {
  return derived('sid', issuerUrl, sessionId, clientId).slice(0, 22);
}

/** The grant of a session to one client, and for one organization if that uses the project. */
export function grantIdOf(issuerUrl: string, sessionId: string, clientId: string, organizationId?: string): string {
  return derived('grant', issuerUrl, sessionId, clientId, ...(organizationId === undefined ? [] : [organizationId]));
}
