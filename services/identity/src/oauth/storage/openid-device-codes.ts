/** Device codes (RFC 8628) among the artifacts of the OpenID providers. */

import type { Artifact, Place } from '../../apps/storage/openid-artifacts.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

const model = 'DeviceCode';

export type EnteredCode = { readonly digest: Uint8Array; readonly issuer: string; readonly browser: string | null };
export type PolledCode = { readonly polledAt: string | null; readonly pollSeconds: number };

/** A code that still waits for an answer. Without the issuer: the person types the code alone. */
export async function findPendingCode(reader: Reader, userCodeDigest: Uint8Array, now: Date): Promise<EnteredCode | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('openid_artifacts')
      .where('userCodeDigest', '=', userCodeDigest)
      .where('model', '=', model)
      .where('expiresAt', '>', now.toISOString())
      .where('consumedAt', 'is', null)
      .where(({ eb, ref }) => eb(ref('payload', '->>').key('accountId'), 'is', null))
      .where(({ eb, ref }) => eb(ref('payload', '->>').key('error'), 'is', null))
      .select(['digest', 'issuer', 'browser']),
  );
  return found;
}

/** The first browser that enters a code keeps it. False for every other one. */
export async function claimCode(writer: Reader, { issuer, digest }: Omit<Place, 'model'>, browser: string): Promise<boolean> {
  const claimed = await writer.query(
    query
      .updateTable('openid_artifacts')
      .set({ browser })
      .where('digest', '=', digest)
      .where('issuer', '=', issuer)
      .where('model', '=', model)
      .where(({ eb, or }) => or([eb('browser', 'is', null), eb('browser', '=', browser)]))
      .returning('digest'),
  );
  return claimed.length === 1;
}

/** Of all answers to a code one is kept, approval or refusal: the others get false. */
export async function answerCode(
  writer: Reader,
  {
    digest,
    issuer,
    payload,
    grantId,
    userId,
    sessionId,
    organizationId,
  }: Pick<Artifact, 'digest' | 'issuer' | 'payload' | 'grantId' | 'userId' | 'sessionId' | 'organizationId'>,
): Promise<boolean> {
  const answered = await writer.query(
    query
      .updateTable('openid_artifacts')
      .set({ payload, grantId, userId, sessionId, organizationId })
      .where('digest', '=', digest)
      .where('issuer', '=', issuer)
      .where('model', '=', model)
      .where('consumedAt', 'is', null)
      .where(({ eb, ref }) => eb(ref('payload', '->>').key('accountId'), 'is', null))
      .where(({ eb, ref }) => eb(ref('payload', '->>').key('error'), 'is', null))
      .returning('digest'),
  );
  return answered.length === 1;
}

/**
 * Remembers that the device asked, and how long it must wait now. False when another request of
 * the same device was first.
 */
export async function markPolled(
  writer: Reader,
  { issuer, digest }: Omit<Place, 'model'>,
  before: { readonly polledAt: string | null },
  { pollSeconds, now }: { readonly pollSeconds: number; readonly now: Date },
): Promise<boolean> {
  const marked = await writer.query(
    query
      .updateTable('openid_artifacts')
      .set({ polledAt: now.toISOString(), pollSeconds })
      .where('digest', '=', digest)
      .where('issuer', '=', issuer)
      .where('model', '=', model)
      .where('polledAt', 'is not distinct from', before.polledAt)
      .returning('digest'),
  );
  return marked.length === 1;
}
