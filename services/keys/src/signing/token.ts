import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

export type SigningKeyHandle = {
  readonly kid: string;
  /** The encoded header is the same for everything a key signs. */
  readonly header: string;
  readonly copies: KeyObject[];
  /** Signatures that are asked for and not there yet. */
  underWay: number;
  turn: number;
};

/** As many as libuv has threads, if nobody says otherwise. */
const mostCopies = 4;

export function handleOf(kid: string, privateKey: KeyObject): SigningKeyHandle {
  return { kid, header: encode({ alg: 'RS256', typ: 'JWT', kid }), copies: [privateKey], underWay: 0, turn: 0 };
}

/** A compact JWS (RFC 7515 section 7.1); the RSA operation runs in libuv's pool, never on the event loop. */
export function signToken(handle: SigningKeyHandle, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const input = `${handle.header}.${encode(claims)}`;
  const privateKey = nextCopy(handle);
  handle.underWay += 1;
  return new Promise((resolve, reject) => {
    sign('RSA-SHA256', Buffer.from(input, 'latin1'), privateKey, (error, signature) => {
      handle.underWay -= 1;
      if (error === null) resolve(`${input}.${signature.toString('base64url')}`);
      else reject(error);
    });
  });
}

/**
 * OpenSSL blinds each use of a private key under a lock of that key: threads that share one wait for each other. So a key that is asked
 * for several signatures at once gets copies, which take turns.
 */
function nextCopy(handle: SigningKeyHandle): KeyObject {
  const { copies } = handle;
  const [first] = copies;
  if (first !== undefined && handle.underWay >= copies.length && copies.length < mostCopies) copies.push(copyOf(first));
  handle.turn = (handle.turn + 1) % copies.length;
  const next = copies[handle.turn];
  if (next === undefined) throw new Error(`the signing key ${handle.kid} has no private half`);
  return next;
}

function copyOf(privateKey: KeyObject): KeyObject {
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
  try {
    return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
  } finally {
    plain.fill(0);
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
