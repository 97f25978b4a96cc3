import { constants, createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A platform with one project, whose keys the test holds, so that it can forge any token. */
export type Target = {
  readonly appUrl: string;
  readonly issuer: string;
  readonly nowSeconds: number;
  readonly system: SigningKey;
  readonly project: SigningKey;
  readonly userId: string;
  readonly scope: { readonly tenant: string; readonly id: string };
};
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };
export type Attack = { readonly clause: string; readonly name: string; readonly forge: (target: Target) => string };

type Json = Readonly<Record<string, unknown>>;

function encode(value: Json | string | Buffer) {
  return Buffer.from(Buffer.isBuffer(value) || typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function sessionClaims(target: Target): Json {
  return {
    sub: target.userId,
    aud: target.appUrl,
    iss: target.appUrl,
    iat: target.nowSeconds,
    exp: target.nowSeconds + 900,
    jti: 'a7d7f8c0-0000-7000-8000-000000000001',
    type: 'session',
    isVerified: true,
  };
}

export function apiKeyClaims(target: Target): Json {
  return {
    sub: target.userId,
    aud: target.appUrl,
    iss: target.issuer,
    iat: target.nowSeconds,
    exp: target.nowSeconds + 900,
    jti: 'a7d7f8c0-0000-7000-8000-000000000002',
    type: 'apiKey',
    scope: target.scope,
  };
}

export function sign(key: SigningKey, claims: Json, header: Json = {}): string {
  return signRaw(key, encode({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header }), encode(claims));
}

function signRaw(key: SigningKey, header: string, payload: string, hash = 'RSA-SHA256'): string {
  const input = `${header}.${payload}`;
  return `${input}.${createSign(hash).update(input).sign(key.privateKey).toString('base64url')}`;
}

function without(claims: Json, name: string): Json {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}
function session(change: (target: Target) => Json) {
  return (target: Target) => sign(target.system, { ...sessionClaims(target), ...change(target) });
}
function apiKey(change: (target: Target) => Json) {
  return (target: Target) => sign(target.project, { ...apiKeyClaims(target), ...change(target) });
}
function header(change: (target: Target) => Json) {
  return (target: Target) => sign(target.system, sessionClaims(target), change(target));
}
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function macced(target: Target, secret: string | Buffer, alg = 'HS256'): string {
  const input = `${encode({ alg, typ: 'JWT', kid: target.system.kid })}.${encode(sessionClaims(target))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function unsigned(target: Target, alg: unknown, signature = ''): string {
  return `${encode({ alg, typ: 'JWT', kid: target.system.kid })}.${encode(sessionClaims(target))}.${signature}`;
}

/** RFC 8725 section 2, clause by clause (2.1 to 2.9, all of them), and what is like it. */
const forgeries: Readonly<Record<string, Readonly<Record<string, Attack['forge']>>>> = {
  '2.1': {
    ...Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', '', null].map((alg) => [
        `alg ${JSON.stringify(alg)} without a signature`,
        (target: Target) => unsigned(target, alg),
      ]),
    ),
    'alg none with the signature of another token': (t) => unsigned(t, 'none', sign(t.system, sessionClaims(t)).split('.')[2]),
    'alg RS256 with an empty signature': (t) => unsigned(t, 'RS256'),
    'HS256 keyed with the public key (SPKI PEM)': (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'spki' })),
    'HS256 keyed with the public key (PKCS#1 PEM)': (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'pkcs1' })),
    'HS256 keyed with the public key (DER)': (t) => macced(t, t.system.publicKey.export({ format: 'der', type: 'spki' })),
    'HS256 keyed with the modulus': (t) => macced(t, t.system.publicKey.export({ format: 'jwk' }).n ?? ''),
    'a MAC that calls itself RS256': (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'spki' }), 'RS256'),
    'RS512, honestly signed, where RS256 is expected': (t) =>
      signRaw(t.system, encode({ alg: 'RS512', typ: 'JWT', kid: t.system.kid }), encode(sessionClaims(t)), 'RSA-SHA512'),
    'PS256, honestly signed, where RS256 is expected': (t) => probabilistic(t, 'PS256'),
    'a PSS signature that calls itself RS256': (t) => probabilistic(t, 'RS256'),
    'an alg given twice, the weak one last': (t) =>
      signRaw(t.system, encode(`{"alg":"RS256","typ":"JWT","kid":"${t.system.kid}","alg":"none"}`), encode(sessionClaims(t))),
    'a changed payload under the old signature': (t) => splice(t, { payload: encode({ ...sessionClaims(t), sub: 'somebody else' }) }),
    'a changed header under the old signature': (t) => splice(t, { header: encode({ alg: 'RS256', kid: t.system.kid, typ: 'JWT' }) }),
    'a signature with one bit turned': (t) => splice(t, { signature: turned(t) }),
    'a key of one’s own under a known kid': (t) => sign({ kid: t.system.kid, ...foreign }, sessionClaims(t)),
  },
  '2.2': Object.fromEntries(
    ['', 'secret', 'password', '0'.repeat(32)].map((secret) => [
      `HS256 with the weak secret ${JSON.stringify(secret)}`,
      (target: Target) => macced(target, secret),
    ]),
  ),
  '2.3': {
    'an encrypted token (JWE, five parts)': (t) => `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: t.system.kid })}.AAAA.AAAA.AAAA.AAAA`,
    'a signed token round a signed token': (t) => nested(t),
  },
  '2.4': {
    'a compressed payload': header(() => ({ zip: 'DEF' })),
    'a token of a megabyte': session(() => ({ padding: 'x'.repeat(1_048_576) })),
  },
  '2.5': {
    'ES256 with a key of one’s own': (t) => ellipticToken(t),
    'ECDH-ES with a point brought along': header((t) => ({
      alg: 'ECDH-ES',
      epk: elliptic.publicKey.export({ format: 'jwk' }),
      apu: t.appUrl,
    })),
  },
  '2.6': {
    'UTF-16 JSON': (t) => signRaw(t.system, plainHeader(t), encode(Buffer.from(JSON.stringify(sessionClaims(t)), 'utf16le'))),
    'a payload with a byte order mark in UTF-16': (t) =>
      signRaw(t.system, plainHeader(t), encode(Buffer.from(`\ufeff${JSON.stringify(sessionClaims(t))}`, 'utf16le'))),
    'bytes that are no UTF-8': (t) => signRaw(t.system, plainHeader(t), encode(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
    'base64 instead of base64url, or with padding': (t) => `${sign(t.system, sessionClaims(t))}=`,
    'white space within the token': (t) => sign(t.system, sessionClaims(t)).replace('.', '. '),
    'a payload that is a list': (t) => signRaw(t.system, plainHeader(t), encode('[]')),
    'a payload that is no JSON': (t) => signRaw(t.system, plainHeader(t), encode('{"sub":')),
  },
  '2.7': {
    'a token for another audience': session(() => ({ aud: 'https://elsewhere.example' })),
    'an audience that only begins alike': session((t) => ({ aud: `${t.appUrl}.evil.example` })),
    'a list of audiences': session((t) => ({ aud: [t.appUrl, 'https://elsewhere.example'] })),
    'no audience': (t) => sign(t.system, without(sessionClaims(t), 'aud')),
    'another issuer': session(() => ({ iss: 'https://evil.example' })),
    'an issuer that only ends in a slash': session((t) => ({ iss: `${t.appUrl}/` })),
    'no issuer': (t) => sign(t.system, without(sessionClaims(t), 'iss')),
    'the project’s key under the platform’s issuer': (t) => sign(t.project, sessionClaims(t)),
    'the platform’s key under the project’s issuer': (t) => sign(t.system, apiKeyClaims(t)),
    'a token for another project': apiKey((t) => ({ scope: { tenant: t.scope.tenant, id: otherProject(t) } })),
    'the scope of another user': apiKey((t) => ({ scope: { tenant: t.scope.tenant, id: otherUser(t) } })),
    'the scope of another kind of tenant': apiKey((t) => ({ scope: { tenant: otherTenant(t), id: t.scope.id } })),
    'an apiKey token without a scope': (t) => sign(t.project, without(apiKeyClaims(t), 'scope')),
  },
  '2.8': {
    'a session written with a project’s key': apiKey(() => ({ type: 'session', isVerified: true })),
    'an apiKey token written with the platform’s key': (t) => sign(t.system, { ...sessionClaims(t), type: 'apiKey', scope: t.scope }),
    'a projectApp token without its cap': apiKey(() => ({ type: 'projectApp' })),
    'a cap that is a text': apiKey(() => ({ type: 'projectApp', scopes: 'User:Query' })),
    'no type': (t) => sign(t.system, without(sessionClaims(t), 'type')),
    'an unknown type': session(() => ({ type: 'refresh' })),
    'another media type (logout+jwt)': header(() => ({ typ: 'logout+jwt' })),
    'an unknown critical header': header(() => ({ crit: ['exp'], exp: 1 })),
    'an unencoded payload (b64)': header(() => ({ crit: ['b64'], b64: false })),
  },
  '2.9': {
    'a key brought in the header (jwk)': (t) =>
      sign({ kid: t.system.kid, ...foreign }, sessionClaims(t), { jwk: foreign.publicKey.export({ format: 'jwk' }) }),
    'an address of keys in the header (jku)': (t) =>
      sign({ kid: 'evil', ...foreign }, sessionClaims(t), { jku: 'https://evil.example/jwks.json' }),
    'an address of a certificate in the header (x5u)': header(() => ({ x5u: 'https://evil.example/cert.pem' })),
    'a certificate in the header (x5c)': header(() => ({ x5c: ['MIIB'] })),
    'a kid that is SQL': header(() => ({ kid: "' OR 1=1 --" })),
    'a kid that is a path': header(() => ({ kid: '../../../../dev/null' })),
    'a kid that is an object': header(() => ({ kid: { toString: 'x' } })),
    'a kid named __proto__': header(() => ({ kid: '__proto__' })),
    'no kid': header(() => ({ kid: undefined })),
    'a kid of ten thousand characters': header(() => ({ kid: 'k'.repeat(10_000) })),
    'an unknown kid': header(() => ({ kid: 'a7d7f8c0-0000-7000-8000-00000000dead' })),
  },
  '3.10': {
    expired: session((t) => ({ iat: t.nowSeconds - 1000, exp: t.nowSeconds - 10 })),
    'no expiry': (t) => sign(t.system, without(sessionClaims(t), 'exp')),
    'an expiry that is a text': session((t) => ({ exp: String(t.nowSeconds + 900) })),
    'an expiry of infinity': (t) =>
      signRaw(t.system, plainHeader(t), encode(JSON.stringify({ ...sessionClaims(t), exp: 0 }).replace('"exp":0', '"exp":1e400'))),
    'issued in the future': session((t) => ({ iat: t.nowSeconds + 60 })),
    'no time of issue': (t) => sign(t.system, without(sessionClaims(t), 'iat')),
    'not yet valid': session((t) => ({ nbf: t.nowSeconds + 60 })),
    'no subject': (t) => sign(t.system, without(sessionClaims(t), 'sub')),
    'a subject that is a list': session((t) => ({ sub: [t.userId] })),
    'no token id': (t) => sign(t.system, without(sessionClaims(t), 'jti')),
    'isVerified that is a text': session(() => ({ isVerified: 'true' })),
    ...Object.fromEntries(['', '.', '..', '...', 'a.b.c', 'null', '{}'].map((token) => [`the text ${JSON.stringify(token)}`, () => token])),
  },
};

export const attacks: readonly Attack[] = Object.entries(forgeries).flatMap(([clause, named]) =>
  Object.entries(named).map(([name, forge]) => ({ clause, name, forge })),
);

function plainHeader(target: Target) {
  return encode({ alg: 'RS256', typ: 'JWT', kid: target.system.kid });
}
function otherTenant(target: Target) {
  return target.scope.tenant === 'organizationProjectUser' ? 'accountProjectUser' : 'organizationProjectUser';
}
function otherProject(target: Target) {
  return target.scope.id.replace(/:[^:]+:/, ':a7d7f8c0-0000-7000-8000-0000000000ff:');
}
function otherUser(target: Target) {
  return target.scope.id.replace(/[^:]+$/, 'a7d7f8c0-0000-7000-8000-0000000000ff');
}

function splice(target: Target, change: { readonly header?: string; readonly payload?: string; readonly signature?: string }): string {
  const [head = '', payload = '', signature = ''] = sign(target.system, sessionClaims(target)).split('.');
  return [change.header ?? head, change.payload ?? payload, change.signature ?? signature].join('.');
}

function turned(target: Target): string {
  const signature = Buffer.from(sign(target.system, sessionClaims(target)).split('.')[2] ?? '', 'base64url');
  signature.writeUInt8(signature.readUInt8(17) ^ 1, 17);
  return signature.toString('base64url');
}

function nested(target: Target): string {
  const inner = sign(target.system, sessionClaims(target));
  return signRaw(target.system, encode({ alg: 'RS256', typ: 'JWT', cty: 'JWT', kid: target.system.kid }), encode(inner));
}

function probabilistic(target: Target, alg: string): string {
  const input = `${encode({ alg, typ: 'JWT', kid: target.system.kid })}.${encode(sessionClaims(target))}`;
  const key = { key: target.system.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  return `${input}.${createSign('RSA-SHA256').update(input).sign(key).toString('base64url')}`;
}

function ellipticToken(target: Target): string {
  const input = `${encode({ alg: 'ES256', typ: 'JWT', kid: target.system.kid })}.${encode(sessionClaims(target))}`;
  const signature = createSign('sha256').update(input).sign({ key: elliptic.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
