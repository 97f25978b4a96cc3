import { type KeyObject, sign } from 'node:crypto';

export type SigningKeyHandle = { readonly kid: string; readonly privateKey: KeyObject; readonly header: string };

/** The encoded header is the same for everything a key signs. */
export function handleOf(kid: string, privateKey: KeyObject): SigningKeyHandle {
  return { kid, privateKey, header: encode({ alg: 'RS256', typ: 'JWT', kid }) };
}

/** A compact JWS (RFC 7515 section 7.1); the RSA operation runs in libuv's pool, never on the event loop. */
export function signToken({ header, privateKey }: SigningKeyHandle, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const input = `${header}.${encode(claims)}`;
  return new Promise((resolve, reject) => {
    sign('RSA-SHA256', Buffer.from(input), privateKey, (error, signature) => {
      if (error === null) resolve(`${input}.${signature.toString('base64url')}`);
      else reject(error);
    });
  });
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
