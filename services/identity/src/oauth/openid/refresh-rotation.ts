/**
 * Refresh tokens rotate as those of sessions do: the successor is derived from the token, so that
 * parallel requests get the same one. For ten seconds the directly preceding token is accepted
 * again, because tabs refresh at once and an answer can get lost. Any other use of a spent token
 * ends the grant.
 */
import { errors } from 'oidc-provider';
import { type Artifact, digestOf, findArtifact, type Place, rotateArtifact } from '../../apps/storage/openid-artifacts.ts';
import { judgeSpentToken } from '../../ground/domain/session.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { OpenidRequest, Rotated } from './request.ts';

export const refreshModel = 'RefreshToken';

/** By the current secret first. Never equal to what a token of a session leads to. */
function successorsOf(token: string, { context }: OpenidRequest): readonly [string, ...string[]] {
  return context.deps.successorsOf(`${refreshModel} ${token}`);
}

export function successorOf(token: string, request: OpenidRequest): string {
  return successorsOf(token, request)[0];
}

/** The successor for a use that is a repetition; undefined for a first use and for a reuse. */
export async function findRepeatedSuccessor(reader: Reader, token: string, request: OpenidRequest): Promise<string | undefined> {
  const { issuer, context } = request;
  const { now } = context;
  const find = (value: string) => findArtifact(reader, placeOf(issuer.url, value), now);
  const spentAt = (await find(token))?.consumedAt;
  if (spentAt == null) return undefined;
  for (const successor of successorsOf(token, request)) {
    const saved = await find(successor);
    // The library has compared the client, which stands in for the device of a session.
    const spent = { spentAt: new Date(spentAt), sameDevice: true, successorUnspent: saved !== undefined && saved.consumedAt === null };
    if (judgeSpentToken(spent, now) === 'repeat') return successor;
  }
  return undefined;
}

/**
 * Spends the presented token and saves its successor, if no parallel request has. Undefined for a
 * reuse.
 */
export function rotate(token: string, successor: Artifact, value: string, request: OpenidRequest): Promise<Rotated | undefined> {
  const { issuer, context } = request;
  return context.deps.database.transaction(async (tx) => {
    const result = await rotateArtifact(tx, { spent: placeOf(issuer.url, token), successor }, context.now);
    if (result === 'ended') throw new errors.InvalidGrant('the session or the grant has ended');
    if (result === 'rotated') return { successor: value, isRepeated: false };
    const repeated = await findRepeatedSuccessor(tx, token, request);
    return repeated === undefined ? undefined : { successor: repeated, isRepeated: true };
  });
}

/** For the audit record, which says from where: a thief may repeat the use of a token, too. */
export function noteOfRotation({ rotated }: OpenidRequest): { readonly isRepeated?: true } {
  return rotated?.isRepeated === true ? { isRepeated: true } : {};
}

function placeOf(issuer: string, value: string): Place {
  return { issuer, model: refreshModel, digest: digestOf(refreshModel, value) };
}
