/**
 * What a run of `npm test` leaves to be searched: everything that a process of ours wrote or said
 * (evidence), and every secret that a test handled. Each test process appends to files of its own
 * in the folder TEST_EVIDENCE; without that variable nothing is kept.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export const evidenceKinds = ['log', 'answer', 'trace', 'notice', 'mail', 'dump'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

export const secretKinds = [
  'password',
  'access token',
  'refresh token',
  'one-time token',
  'API-key secret',
  'private key',
  'deployment secret',
] as const;
export type SecretKind = (typeof secretKinds)[number];

export type Secret = { readonly kind: SecretKind; readonly value: string };

/** Shorter ones stand everywhere by chance. */
export const shortestSecret = 8;

function folder() {
  return process.env.TEST_EVIDENCE;
}
function append(folder: string, name: string, text: string) {
  return appendFileSync(join(folder, `${name}.${process.pid}`), text, { mode: 0o600 });
}

export function keepsEvidence(): boolean {
  return folder() !== undefined;
}

export function noteEvidence(kind: EvidenceKind, text: string): void {
  const kept = folder();
  if (kept !== undefined && text !== '') append(kept, kind, `${text}\n`);
}

const known = new Set<string>();

export function noteSecret(kind: SecretKind, value: unknown): void {
  const kept = folder();
  if (kept === undefined || typeof value !== 'string' || value.length < shortestSecret || known.has(value)) return;
  known.add(value);
  append(kept, 'secrets', `${JSON.stringify({ kind, value } satisfies Secret)}\n`);
}

/** Notes a token by its signature, because the rest of it is no secret. */
export function noteToken(token: string): void {
  const [, , signature = ''] = token.split('.');
  if (signature.length > 100) noteSecret('access token', signature);
}
