/** A key to which access tokens are bound (DPoP, RFC 9449): without it a token opens nothing. */

export type DpopRequest = {
  readonly method: string;
  readonly url: string;
  /** The access token that the request sends; left out at the token endpoint. */
  readonly token?: string | undefined;
};

export type DpopKey = {
  /** `dpop_jkt` of an authorization request. */
  readonly thumbprint: string;
  /** The value of the header `DPoP` for one request. */
  proof(request: DpopRequest): Promise<string>;
};

type Key = Parameters<typeof crypto.subtle.exportKey>[1];
/** As WebCrypto makes it. */
export type KeyPair = { readonly publicKey: Key; readonly privateKey: Key };

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };

/**
 * Makes a key (ES256), or takes one that you keep: in a browser as it is in IndexedDB, from where
 * no script can take the private half away.
 */
export async function createDpopKey(pair?: KeyPair): Promise<DpopKey> {
  const { publicKey, privateKey } = pair ?? (await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']));
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const header = encode(JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }));
  // RFC 7638: the required members, in this order.
  const thumbprint = await digest(JSON.stringify({ crv, kty, x, y }));
  return {
    thumbprint,
    async proof({ method, url, token }) {
      const [htu = ''] = url.split(/[?#]/);
      const iat = Math.floor(Date.now() / 1_000);
      const ath = token === undefined ? {} : { ath: await digest(token) };
      const signed = `${header}.${encode(JSON.stringify({ jti: crypto.randomUUID(), htm: method, htu, iat, ...ath }))}`;
      const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(signed));
      return `${signed}.${encode(signature)}`;
    },
  };
}

async function digest(text: string): Promise<string> {
  return encode(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

function encode(value: string | ArrayBuffer): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
