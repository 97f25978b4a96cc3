/** Passkeys (WebAuthn 3), by @simplewebauthn/server: discoverable, with user verification. */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { SignInDeps } from '../deps.ts';
import type { PasskeyChallenge } from '../flow.ts';
import type { Passkey } from '../storage/second-factors.ts';

type Deps = Pick<SignInDeps, 'settings' | 'passkeyChallenges'>;
type Record = Readonly<globalThis.Record<string, unknown>>;

function relyingParty({ settings: { appUrl, cookieOrigins } }: Deps) {
  const id = new URL(appUrl).hostname;
  const isOurs = (origin: string) => new URL(origin).hostname === id || new URL(origin).hostname.endsWith(`.${id}`);
  return { id, origins: cookieOrigins.filter(isOurs) };
}

async function newChallenge(challenge: PasskeyChallenge, { passkeyChallenges }: Deps) {
  return new Uint8Array(Buffer.from(await passkeyChallenges.remember(challenge), 'base64url'));
}

/** Takes the challenge that the answer names; it must have been made for this. */
function takeChallenge({ purpose, userId }: PasskeyChallenge, { passkeyChallenges }: Deps) {
  return async (challenge: string) => {
    const known = await passkeyChallenges.take(challenge);
    return known?.purpose === purpose && known.userId === userId;
  };
}

export type Enroller = { readonly userId: string; readonly address: string; readonly name: string };

export async function creationOptions({ userId, address, name }: Enroller, known: readonly Passkey[], deps: Deps): Promise<Record> {
  return {
    ...(await generateRegistrationOptions({
      rpName: deps.settings.productName,
      rpID: relyingParty(deps).id,
      userID: new Uint8Array(Buffer.from(userId)),
      userName: address,
      userDisplayName: name,
      challenge: await newChallenge({ purpose: 'enroll', userId }, deps),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] })),
    })),
  };
}

/** `known` are the passkeys that may answer; left out, the browser offers those that it has. */
export async function requestOptions(challenge: PasskeyChallenge, known: readonly Passkey[] | undefined, deps: Deps): Promise<Record> {
  const allowed = known?.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] }));
  return {
    ...(await generateAuthenticationOptions({
      rpID: relyingParty(deps).id,
      challenge: await newChallenge(challenge, deps),
      userVerification: 'required',
      ...(allowed === undefined ? {} : { allowCredentials: allowed }),
    })),
  };
}

/** WebAuthn 3, 7.1 and 7.2: none of our pages stands in a frame of another site. */
function isOfOtherSite(response: RegistrationResponseJSON | AuthenticationResponseJSON): boolean {
  const data: unknown = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString('utf8'));
  return typeof data !== 'object' || data === null || 'topOrigin' in data || ('crossOrigin' in data && data.crossOrigin === true);
}

/** WebAuthn 3, 7.2 step 6: an answer that names a person names the passkey's own. */
function isOfOtherPerson({ response }: AuthenticationResponseJSON, userId: string): boolean {
  const { userHandle } = response;
  return userHandle !== undefined && userHandle !== null && userHandle !== Buffer.from(userId).toString('base64url');
}

type NewPasskey = Omit<Passkey, 'id' | 'userId'>;

/** Undefined for an answer that is not right: malformed, to another challenge, or not verified. */
export async function readNewPasskey(credential: Record, userId: string, deps: Deps): Promise<NewPasskey | undefined> {
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(deps);
  try {
    // The library checks the shape, and throws.
    const response = credential as unknown as RegistrationResponseJSON;
    const expectedChallenge = takeChallenge({ purpose: 'enroll', userId }, deps);
    if (isOfOtherSite(response)) return undefined;
    const verified = await verifyRegistrationResponse({ response, expectedChallenge, expectedOrigin, expectedRPID });
    if (!verified.verified) return undefined;
    const { credential: made, credentialDeviceType } = verified.registrationInfo;
    return {
      credentialId: made.id,
      publicKey: Buffer.from(made.publicKey),
      counter: made.counter,
      transports: (made.transports ?? []).slice(0, 8).map(String),
      isSynced: credentialDeviceType === 'multiDevice',
    };
  } catch {
    return undefined;
  }
}

/** The new counter of the passkey's signature; undefined for an answer that is not right. */
export async function verifyPasskey(
  credential: Record,
  { credentialId: id, publicKey, userId }: Passkey,
  challenge: PasskeyChallenge,
  deps: Deps,
): Promise<number | undefined> {
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(deps);
  try {
    // The library checks the shape, and throws.
    const response = credential as unknown as AuthenticationResponseJSON;
    if (isOfOtherSite(response) || isOfOtherPerson(response, userId)) return undefined;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: takeChallenge(challenge, deps),
      expectedOrigin,
      expectedRPID,
      // We compare the counters: one that goes back is told to the person, not only refused.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

/** Section 6.1.1: a counter that does not rise means that the passkey may have been copied. */
export function goesBack(stored: number, received: number): boolean {
  return (stored > 0 || received > 0) && received <= stored;
}
