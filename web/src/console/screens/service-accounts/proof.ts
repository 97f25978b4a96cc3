/** What a new credential proves the account by: the fields of the form, and what is sent. */
import type { Credential, Proof } from './account.ts';

export const proofTypes = ['secret', 'directory', 'jwks', 'trust'] as const;
export type ProofType = (typeof proofTypes)[number];

/** Of the issuers of jobs that the form knows; `other` has none of its own. */
export const issuerKinds = ['github', 'gitlab', 'kubernetes', 'other'] as const;
export type IssuerKind = (typeof issuerKinds)[number];

export const issuers: Readonly<Record<IssuerKind, { readonly issuer: string; readonly claims: string }>> = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    claims: 'repository_id=\nsub=repo:OWNER/REPOSITORY:environment:production',
  },
  gitlab: { issuer: 'https://gitlab.com', claims: 'project_id=\nref_protected=true' },
  kubernetes: { issuer: '', claims: 'sub=system:serviceaccount:NAMESPACE:NAME' },
  other: { issuer: '', claims: 'sub=' },
};

export type ProofFields = {
  readonly type: ProofType;
  readonly days: string;
  readonly jwks: string;
  readonly jwksUri: string;
  readonly kind: IssuerKind;
  readonly issuer: string;
  readonly audience: string;
  /** A line for each: `name=value`. */
  readonly claims: string;
};

/** A line that names no claim, or gives it no value. */
export function wrongClaim(text: string): string | undefined {
  return linesOf(text).find((line) => !/^[^=\s]+=\s*\S/.test(line));
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function claimsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** A key set, or one key; undefined for what is neither. */
export function keysOf(text: string): { keys: Record<string, unknown>[] } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const keys: readonly unknown[] = Array.isArray(value['keys']) ? value['keys'] : [value];
    return keys.length > 0 && keys.every(isObject) ? { keys: [...keys] } : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Private parts of a key: they never leave the machine. */
export function hasPrivatePart(text: string): boolean {
  return keysOf(text)?.keys.some((key) => ['d', 'p', 'q', 'k'].some((name) => Object.hasOwn(key, name))) ?? false;
}

const dayMs = 86_400_000;

export function proofOf(fields: ProofFields, nowMs: number): Proof {
  const { type, days, jwks, jwksUri, issuer, audience, claims } = fields;
  const ends = days === 'never' ? {} : { expiresAt: new Date(nowMs + Number(days) * dayMs).toISOString() };
  if (type === 'secret' || type === 'directory') return { type, ...ends };
  if (type === 'trust') return { type, ...ends, issuer: issuer.trim(), audience: audience.trim(), claims: claimsOf(claims) };
  const keys = keysOf(jwks);
  return keys === undefined ? { type, ...ends, jwksUri: jwksUri.trim() } : { type, ...ends, jwks: keys };
}

/** How a credential is called: the end of a secret, the id of a key, or whose word counts. */
export function nameOf({ id, type, lastFour, jwks, jwksUri, issuer }: Credential): string {
  if (type === 'secret' || type === 'directory') return `…${lastFour ?? id.slice(-4)}`;
  const address = jwksUri ?? issuer;
  if (address !== null && URL.canParse(address)) return new URL(address).host;
  const kid = jwks?.keys[0]?.['kid'];
  return typeof kid === 'string' ? kid : `…${id.slice(-4)}`;
}

/** What is to be read of one besides its name, line by line. */
export function detailsOf({ type, jwks, jwksUri, issuer, audience, claims }: Credential): readonly string[] {
  if (type === 'trust')
    return [`iss = ${issuer}`, `aud = ${audience}`, ...Object.entries(claims ?? {}).map(([name, value]) => `${name} = ${value}`)];
  if (jwksUri !== null) return [jwksUri];
  return (jwks?.keys ?? []).flatMap(({ kty, crv, kid }) => [[kty, crv, kid].filter((part) => typeof part === 'string').join(' ')]);
}
