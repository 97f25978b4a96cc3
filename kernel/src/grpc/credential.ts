/**
 * The credential that services show each other: who calls, what, and when, under INTERNAL_AUTH_SECRET.
 * It is bound to the method, so that one seen on its way to a harmless method opens no other, and lives for 60 seconds at most.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

export const CREDENTIAL_HEADER = 'x-tessera-service';
const LIFETIME_SECONDS = 60;
const SKEW_SECONDS = 5;
const REUSE_SECONDS = 5;

/** A KeyObject: handing the bytes over for each MAC costs four times the MAC itself. */
function keyOf(secret: string): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update('tessera service credential v1').digest());
}

function macOf(key: KeyObject, caller: string, path: string, time: string): Buffer {
  return createHmac('sha256', key).update(`${caller}\n${path}\n${time}`).digest();
}

type Clock = () => number;

/** Issues credentials of `self`; one per path is reused for a few seconds, because calls are hot. */
export function createCredentialIssuer(secret: string, self: string, clock: Clock = Date.now): (path: string) => string {
  const key = keyOf(secret);
  const issued = new Map<string, { seconds: number; value: string }>();
  return (path) => {
    const seconds = Math.floor(clock() / 1000);
    const recent = issued.get(path);
    if (recent !== undefined && Math.abs(seconds - recent.seconds) < REUSE_SECONDS) return recent.value;
    const value = `${self}.${seconds}.${macOf(key, self, path, String(seconds)).toString('base64url')}`;
    issued.set(path, { seconds, value });
    return value;
  };
}

type Proven = { readonly caller: string; readonly seconds: number };

/** Callers show a credential again for some seconds: more than these of one path are forgotten together, and proven anew. */
const KEPT_PER_PATH = 256;

/** Tells the caller's name when the credential is genuine, alive and for this path. Only that it is genuine is remembered. */
export function createCredentialVerifier(
  secret: string,
  clock: Clock = Date.now,
): (credential: string | undefined, path: string) => string | undefined {
  const key = keyOf(secret);
  const provenByPath = new Map<string, Map<string, Proven>>();

  const prove = (credential: string, path: string): Proven | undefined => {
    const [caller = '', time = '', mac = '', ...rest] = credential.split('.');
    if (caller === '' || rest.length > 0 || !/^\d{1,12}$/.test(time)) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const expected = macOf(key, caller, path, time);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { caller, seconds: Number(time) };
  };

  const remember = (credential: string, path: string, proven: Proven): void => {
    const known = provenByPath.get(path);
    if (known === undefined) provenByPath.set(path, new Map([[credential, proven]]));
    else {
      if (known.size >= KEPT_PER_PATH) known.clear();
      known.set(credential, proven);
    }
  };

  return (credential, path) => {
    if (credential === undefined) return undefined;
    const known = provenByPath.get(path)?.get(credential);
    const proven = known ?? prove(credential, path);
    if (proven === undefined) return undefined;
    const ageSeconds = clock() / 1000 - proven.seconds;
    if (ageSeconds > LIFETIME_SECONDS || ageSeconds < -SKEW_SECONDS) return undefined;
    if (known === undefined) remember(credential, path, proven);
    return proven.caller;
  };
}
