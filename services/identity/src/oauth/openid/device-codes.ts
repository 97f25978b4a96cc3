/** What a device code is beyond the library's own: paced questions, one browser, one answer. */
import { type AdapterPayload, errors } from 'oidc-provider';
import {
  type Artifact,
  digestOf,
  type FoundArtifact,
  findArtifact,
  type Place,
  upsertArtifact,
} from '../../apps/storage/openid-artifacts.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { answerCode, markPolled } from '../storage/openid-device-codes.ts';
import type { OpenidRequest } from './request.ts';

/** RFC 8628 section 3.2: how long a device waits between two questions. */
export const pollSeconds = 5;
/** Section 3.5: what each question that came too early adds. */
const slowDownSeconds = 5;
/** A question that was sent in time may arrive a little too early. */
const toleranceMs = 1_000;
/** So long the answer is `expired_token`; then the code is unknown. */
const graceSeconds = 300;

/** The program that requested the code, for the page on which the person confirms it. */
export type RequestingDevice = { readonly userAgent: string; readonly ipAddress: string };

export async function findRequestingDevice(
  reader: Reader,
  { issuer, digest }: Omit<Place, 'model'>,
  now: Date,
): Promise<RequestingDevice | undefined> {
  const found = await findArtifact(reader, { issuer, model: 'DeviceCode', digest }, now);
  // Written by `saveDeviceCode` alone; a code of the release before has none.
  return found?.payload['device'] as RequestingDevice | undefined;
}

/** All issuers together: a person types the code alone. */
export function digestOfUserCode(code: string): Buffer {
  return digestOf('UserCode', code);
}

/** As people type it: any case, with or without the hyphen. */
export function normalUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/**
 * The first save makes the code, the last one answers it. The library's save in between only says
 * that a browser is at it, which `claimCode` knows better.
 */
export async function saveDeviceCode(
  artifact: Omit<Artifact, 'expiresAt' | 'userCodeDigest'>,
  expiresIn: number,
  { context }: OpenidRequest,
): Promise<void> {
  const { userCode, inFlight, ...payload } = artifact.payload as AdapterPayload;
  const isAnswer = payload.accountId !== undefined || payload.error !== undefined;
  if (isAnswer) {
    if (!(await answerCode(context.deps.database, { ...artifact, payload }))) throw new errors.InvalidRequest('it was answered already');
    return;
  }
  if (inFlight === true || userCode === undefined) return;
  const expiresAt = new Date(context.now.getTime() + (expiresIn + graceSeconds) * 1_000);
  const { userAgent, ipAddress } = context.request;
  const device: RequestingDevice = { userAgent: userAgent.slice(0, 512), ipAddress: ipAddress.slice(0, 64) };
  await upsertArtifact(context.deps.database, {
    ...artifact,
    payload: { ...payload, device },
    userCodeDigest: digestOfUserCode(userCode),
    expiresAt,
  });
}

/** A device asks whether it was approved. While it waits, it must not ask too often. */
export async function findPolledCode(issuer: string, code: string, { context }: OpenidRequest): Promise<FoundArtifact | undefined> {
  const { database } = context.deps;
  const place = { issuer, model: 'DeviceCode', digest: digestOf('DeviceCode', code) };
  const found = await findArtifact(database, place, context.now);
  if (found === undefined || !isPending(found, context.now)) return found;
  const required = found.pollSeconds ?? pollSeconds;
  const waitedMs = found.polledAt === null ? Number.POSITIVE_INFINITY : context.now.getTime() - Date.parse(found.polledAt);
  const isEarly = waitedMs < required * 1_000 - toleranceMs;
  const isFirst = await markPolled(database, place, found, {
    pollSeconds: isEarly ? required + slowDownSeconds : required,
    now: context.now,
  });
  if (isEarly || !isFirst) throw new errors.SlowDown();
  return found;
}

function isPending({ payload, consumedAt }: FoundArtifact, now: Date): boolean {
  const isOpen = payload['accountId'] === undefined && payload['error'] === undefined && consumedAt === null;
  return isOpen && Number(payload['exp']) * 1_000 > now.getTime();
}
