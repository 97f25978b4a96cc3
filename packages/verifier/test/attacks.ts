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
export const attacks: readonly Attack[] = [
  ...['none', 'None', 'NONE', 'nOnE', '', null].map((alg) => ({
    clause: '2.1',
    name: `alg ${JSON.stringify(alg)} without a signature`,
    forge: (target: Target) => unsigned(target, alg),
  })),
  {
    clause: '2.1',
    name: 'alg none with the signature of another token',
    forge: (t) => unsigned(t, 'none', sign(t.system, sessionClaims(t)).split('.')[2]),
  },
  { clause: '2.1', name: 'alg RS256 with an empty signature', forge: (t) => unsigned(t, 'RS256') },
  {
    clause: '2.1',
    name: 'HS256 keyed with the public key (SPKI PEM)',
    forge: (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'spki' })),
  },
  {
    clause: '2.1',
    name: 'HS256 keyed with the public key (PKCS#1 PEM)',
    forge: (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'pkcs1' })),
  },
  {
    clause: '2.1',
    name: 'HS256 keyed with the public key (DER)',
    forge: (t) => macced(t, t.system.publicKey.export({ format: 'der', type: 'spki' })),
  },
  { clause: '2.1', name: 'HS256 keyed with the modulus', forge: (t) => macced(t, t.system.publicKey.export({ format: 'jwk' }).n ?? '') },
  {
    clause: '2.1',
    name: 'a MAC that calls itself RS256',
    forge: (t) => macced(t, t.system.publicKey.export({ format: 'pem', type: 'spki' }), 'RS256'),
  },
  {
    clause: '2.1',
    name: 'RS512, honestly signed, where RS256 is expected',
    forge: (t) => signRaw(t.system, encode({ alg: 'RS512', typ: 'JWT', kid: t.system.kid }), encode(sessionClaims(t)), 'RSA-SHA512'),
  },
  { clause: '2.1', name: 'PS256, honestly signed, where RS256 is expected', forge: (t) => probabilistic(t, 'PS256') },
  { clause: '2.1', name: 'a PSS signature that calls itself RS256', forge: (t) => probabilistic(t, 'RS256') },
  {
    clause: '2.1',
    name: 'an alg given twice, the weak one last',
    forge: (t) => signRaw(t.system, encode(`{"alg":"RS256","typ":"JWT","kid":"${t.system.kid}","alg":"none"}`), encode(sessionClaims(t))),
  },
  {
    clause: '2.1',
    name: 'a changed payload under the old signature',
    forge: (t) => splice(t, { payload: encode({ ...sessionClaims(t), sub: 'somebody else' }) }),
  },
  {
    clause: '2.1',
    name: 'a changed header under the old signature',
    forge: (t) => splice(t, { header: encode({ alg: 'RS256', kid: t.system.kid, typ: 'JWT' }) }),
  },
  { clause: '2.1', name: 'a signature with one bit turned', forge: (t) => splice(t, { signature: turned(t) }) },
  { clause: '2.1', name: 'a key of one’s own under a known kid', forge: (t) => sign({ kid: t.system.kid, ...foreign }, sessionClaims(t)) },
  ...['', 'secret', 'password', '0'.repeat(32)].map((secret) => ({
    clause: '2.2',
    name: `HS256 with the weak secret ${JSON.stringify(secret)}`,
    forge: (target: Target) => macced(target, secret),
  })),
  {
    clause: '2.3',
    name: 'an encrypted token (JWE, five parts)',
    forge: (t) => `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: t.system.kid })}.AAAA.AAAA.AAAA.AAAA`,
  },
  { clause: '2.3', name: 'a signed token round a signed token', forge: (t) => nested(t) },
  { clause: '2.4', name: 'a compressed payload', forge: header(() => ({ zip: 'DEF' })) },
  { clause: '2.4', name: 'a token of a megabyte', forge: session(() => ({ padding: 'x'.repeat(1_048_576) })) },
  { clause: '2.5', name: 'ES256 with a key of one’s own', forge: (t) => ellipticToken(t) },
  {
    clause: '2.5',
    name: 'ECDH-ES with a point brought along',
    forge: header((t) => ({ alg: 'ECDH-ES', epk: elliptic.publicKey.export({ format: 'jwk' }), apu: t.appUrl })),
  },
  {
    clause: '2.6',
    name: 'UTF-16 JSON',
    forge: (t) => signRaw(t.system, plainHeader(t), encode(Buffer.from(JSON.stringify(sessionClaims(t)), 'utf16le'))),
  },
  {
    clause: '2.6',
    name: 'a payload with a byte order mark in UTF-16',
    forge: (t) => signRaw(t.system, plainHeader(t), encode(Buffer.from(`\ufeff${JSON.stringify(sessionClaims(t))}`, 'utf16le'))),
  },
  {
    clause: '2.6',
    name: 'bytes that are no UTF-8',
    forge: (t) => signRaw(t.system, plainHeader(t), encode(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
  },
  { clause: '2.6', name: 'base64 instead of base64url, or with padding', forge: (t) => `${sign(t.system, sessionClaims(t))}=` },
  { clause: '2.6', name: 'white space within the token', forge: (t) => sign(t.system, sessionClaims(t)).replace('.', '. ') },
  { clause: '2.6', name: 'a payload that is a list', forge: (t) => signRaw(t.system, plainHeader(t), encode('[]')) },
  { clause: '2.6', name: 'a payload that is no JSON', forge: (t) => signRaw(t.system, plainHeader(t), encode('{"sub":')) },
  { clause: '2.7', name: 'a token for another audience', forge: session(() => ({ aud: 'https://elsewhere.example' })) },
  { clause: '2.7', name: 'an audience that only begins alike', forge: session((t) => ({ aud: `${t.appUrl}.evil.example` })) },
  { clause: '2.7', name: 'a list of audiences', forge: session((t) => ({ aud: [t.appUrl, 'https://elsewhere.example'] })) },
  { clause: '2.7', name: 'no audience', forge: (t) => sign(t.system, without(sessionClaims(t), 'aud')) },
  { clause: '2.7', name: 'another issuer', forge: session(() => ({ iss: 'https://evil.example' })) },
  { clause: '2.7', name: 'an issuer that only ends in a slash', forge: session((t) => ({ iss: `${t.appUrl}/` })) },
  { clause: '2.7', name: 'no issuer', forge: (t) => sign(t.system, without(sessionClaims(t), 'iss')) },
  { clause: '2.7', name: 'the project’s key under the platform’s issuer', forge: (t) => sign(t.project, sessionClaims(t)) },
  { clause: '2.7', name: 'the platform’s key under the project’s issuer', forge: (t) => sign(t.system, apiKeyClaims(t)) },
  {
    clause: '2.7',
    name: 'a token for another project',
    forge: apiKey((t) => ({ scope: { tenant: t.scope.tenant, id: otherProject(t) } })),
  },
  { clause: '2.7', name: 'the scope of another user', forge: apiKey((t) => ({ scope: { tenant: t.scope.tenant, id: otherUser(t) } })) },
  {
    clause: '2.7',
    name: 'the scope of another kind of tenant',
    forge: apiKey((t) => ({ scope: { tenant: otherTenant(t), id: t.scope.id } })),
  },
  { clause: '2.7', name: 'an apiKey token without a scope', forge: (t) => sign(t.project, without(apiKeyClaims(t), 'scope')) },
  { clause: '2.8', name: 'a session written with a project’s key', forge: apiKey(() => ({ type: 'session', isVerified: true })) },
  {
    clause: '2.8',
    name: 'an apiKey token written with the platform’s key',
    forge: (t) => sign(t.system, { ...sessionClaims(t), type: 'apiKey', scope: t.scope }),
  },
  { clause: '2.8', name: 'a projectApp token without its cap', forge: apiKey(() => ({ type: 'projectApp' })) },
  { clause: '2.8', name: 'a cap that is a text', forge: apiKey(() => ({ type: 'projectApp', scopes: 'User:Query' })) },
  { clause: '2.8', name: 'no type', forge: (t) => sign(t.system, without(sessionClaims(t), 'type')) },
  { clause: '2.8', name: 'an unknown type', forge: session(() => ({ type: 'refresh' })) },
  { clause: '2.8', name: 'another media type (logout+jwt)', forge: header(() => ({ typ: 'logout+jwt' })) },
  { clause: '2.8', name: 'a critical header that nobody understands', forge: header(() => ({ crit: ['exp'], exp: 1 })) },
  { clause: '2.8', name: 'an unencoded payload (b64)', forge: header(() => ({ crit: ['b64'], b64: false })) },
  {
    clause: '2.9',
    name: 'a key brought in the header (jwk)',
    forge: (t) => sign({ kid: t.system.kid, ...foreign }, sessionClaims(t), { jwk: foreign.publicKey.export({ format: 'jwk' }) }),
  },
  {
    clause: '2.9',
    name: 'an address of keys in the header (jku)',
    forge: (t) => sign({ kid: 'evil', ...foreign }, sessionClaims(t), { jku: 'https://evil.example/jwks.json' }),
  },
  {
    clause: '2.9',
    name: 'an address of a certificate in the header (x5u)',
    forge: header(() => ({ x5u: 'https://evil.example/cert.pem' })),
  },
  { clause: '2.9', name: 'a certificate in the header (x5c)', forge: header(() => ({ x5c: ['MIIB'] })) },
  { clause: '2.9', name: 'a kid that is SQL', forge: header(() => ({ kid: "' OR 1=1 --" })) },
  { clause: '2.9', name: 'a kid that is a path', forge: header(() => ({ kid: '../../../../dev/null' })) },
  { clause: '2.9', name: 'a kid that is an object', forge: header(() => ({ kid: { toString: 'x' } })) },
  { clause: '2.9', name: 'a kid named __proto__', forge: header(() => ({ kid: '__proto__' })) },
  { clause: '2.9', name: 'no kid', forge: header(() => ({ kid: undefined })) },
  { clause: '2.9', name: 'a kid of ten thousand characters', forge: header(() => ({ kid: 'k'.repeat(10_000) })) },
  { clause: '2.9', name: 'an unknown kid', forge: header(() => ({ kid: 'a7d7f8c0-0000-7000-8000-00000000dead' })) },
  { clause: '3.10', name: 'expired', forge: session((t) => ({ iat: t.nowSeconds - 1000, exp: t.nowSeconds - 10 })) },
  { clause: '3.10', name: 'no expiry', forge: (t) => sign(t.system, without(sessionClaims(t), 'exp')) },
  { clause: '3.10', name: 'an expiry that is a text', forge: session((t) => ({ exp: String(t.nowSeconds + 900) })) },
  {
    clause: '3.10',
    name: 'an expiry of infinity',
    forge: (t) =>
      signRaw(t.system, plainHeader(t), encode(JSON.stringify({ ...sessionClaims(t), exp: 0 }).replace('"exp":0', '"exp":1e400'))),
  },
  { clause: '3.10', name: 'issued in the future', forge: session((t) => ({ iat: t.nowSeconds + 60 })) },
  { clause: '3.10', name: 'no time of issue', forge: (t) => sign(t.system, without(sessionClaims(t), 'iat')) },
  { clause: '3.10', name: 'not yet valid', forge: session((t) => ({ nbf: t.nowSeconds + 60 })) },
  { clause: '3.10', name: 'no subject', forge: (t) => sign(t.system, without(sessionClaims(t), 'sub')) },
  { clause: '3.10', name: 'a subject that is a list', forge: session((t) => ({ sub: [t.userId] })) },
  { clause: '3.10', name: 'no token id', forge: (t) => sign(t.system, without(sessionClaims(t), 'jti')) },
  { clause: '3.10', name: 'isVerified that is a text', forge: session(() => ({ isVerified: 'true' })) },
  ...['', '.', '..', '...', 'a.b.c', 'null', '{}'].map((token) => ({
    clause: '3.10',
    name: `the text ${JSON.stringify(token)}`,
    forge: () => token,
  })),
];

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
