/**
 * A passkey in software (WebAuthn 3), for tests: ES256, `none` attestation, flags and counter free.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type Flags = {
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly isCrossOrigin?: boolean;
  readonly userHandle?: string;
};

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

export function createAuthenticator(origin: string) {
  const rpId = new URL(origin).hostname;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;

  const dataOf = ({ isVerified = true, counter: given }: Flags, attested: Buffer = Buffer.alloc(0)): Buffer => {
    counter = given ?? counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, attested]);
  };
  const clientData = (type: string, challenge: unknown, { isCrossOrigin = false }: Flags) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: isCrossOrigin }));
  const common = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key', clientExtensionResults: {} };

  return {
    id: common.id,
    create({ challenge }: { challenge?: unknown }, flags: Flags = {}) {
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, Buffer.from(isoCBOR.encode(key))]);
      const authData = new Uint8Array(dataOf(flags, attested));
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', authData],
      ]);
      const attestationObject = Buffer.from(isoCBOR.encode(attestation)).toString('base64url');
      const clientDataJSON = clientData('webauthn.create', challenge, flags).toString('base64url');
      return { ...common, response: { clientDataJSON, attestationObject, transports: ['internal'] } };
    },
    get({ challenge }: { challenge?: unknown }, flags: Flags = {}) {
      const authenticatorData = dataOf(flags);
      const client = clientData('webauthn.get', challenge, flags);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey);
      const [clientDataJSON, data] = [client.toString('base64url'), authenticatorData.toString('base64url')];
      const { userHandle } = flags;
      const person = userHandle === undefined ? {} : { userHandle };
      return { ...common, response: { clientDataJSON, authenticatorData: data, signature: signature.toString('base64url'), ...person } };
    },
  };
}
