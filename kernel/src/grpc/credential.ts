/**
 * The credential of a service: caller, method path and time, signed with INTERNAL_AUTH_SECRET. It
 * is valid for one method only, so a stolen one opens no other, and for 60 seconds at most.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { secretsIn } from '../config/index.ts';

export const credentialHeader = 'x-tessera-service';
const lifetimeSeconds = 60;
const skewSeconds = 5;
const reuseSeconds = 5;

/** A KeyObject, because an HMAC with a key in bytes takes four times as long. */
function keyOf(secret: string): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update('tessera service credential v1').digest());
}

function macOf(key: KeyObject, caller: string, path: string, time: string): Buffer {
  return createHmac('sha256', key).update(`${caller}\n${path}\n${time}`).digest();
}

type Clock = () => number;

/** Credentials of `self` under the first of the secrets. Each is reused for some seconds. */
export function createCredentialIssuer(secrets: string, self: string, clock: Clock = Date.now): (path: string) => string {
  const key = keyOf(secretsIn(secrets)[0]);
  const issued = new Map<string, { seconds: number; value: string }>();
  return (path) => {
    const seconds = Math.floor(clock() / 1000);
    const recent = issued.get(path);
    if (recent !== undefined && Math.abs(seconds - recent.seconds) < reuseSeconds) return recent.value;
    const value = `${self}.${seconds}.${macOf(key, self, path, String(seconds)).toString('base64url')}`;
    issued.set(path, { seconds, value });
    return value;
  };
}

type Verified = { readonly caller: string; readonly seconds: number; readonly path: string };
export type CredentialVerifier = (credential: string | undefined, path: string) => string | undefined;

/** The caller's name, when one of the secrets signed the credential for this path, and lately. */
export function createCredentialVerifier(secrets: string, clock: Clock = Date.now): CredentialVerifier {
  const keys = secretsIn(secrets).map(keyOf);
  const verifiedCredentials = new LRUCache<string, Verified>({ max: 4_000 });

  const check = (credential: string, path: string): Verified | undefined => {
    const [caller = '', time = '', mac = '', ...rest] = credential.split('.');
    if (caller === '' || rest.length > 0 || !/^\d{1,12}$/.test(time)) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const isBy = (key: KeyObject) => given.length === 32 && timingSafeEqual(given, macOf(key, caller, path, time));
    return keys.some(isBy) ? { caller, seconds: Number(time), path } : undefined;
  };

  return (credential, path) => {
    if (credential === undefined) return undefined;
    // A credential is signed for one path.
    const cached = verifiedCredentials.get(credential);
    const known = cached?.path === path ? cached : undefined;
    const verified = known ?? check(credential, path);
    if (verified === undefined) return undefined;
    const ageSeconds = clock() / 1000 - verified.seconds;
    if (ageSeconds > lifetimeSeconds || ageSeconds < -skewSeconds) return undefined;
    if (known === undefined) verifiedCredentials.set(credential, verified);
    return verified.caller;
  };
}
