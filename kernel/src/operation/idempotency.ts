/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): a creating operation that is sent
 * twice happens once. The answer commits with the change; a twin waits for that commit and gets it.
 */
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { defineErrors, failures } from '../errors/index.ts';
import { createEnvelope, type Envelope } from '../guard/index.ts';
import { type Database, statement, type Transaction } from '../postgres/index.ts';
import { credentialOf } from '../tokens/index.ts';
import type { OperationContext } from './context.ts';
import type { Operation, OperationInput, RestBinding } from './declaration.ts';

export const idempotencyErrors = defineErrors({
  usedOtherwise: {
    kind: 'used-otherwise',
    key: 'errors.idempotencyKeyReused',
    en: 'This Idempotency-Key was sent before, with another request. Take a new key for a new request.',
    de: 'Dieser Idempotency-Key wurde schon mit einer anderen Anfrage gesendet. Nehmen Sie für eine neue Anfrage einen neuen.',
  },
});

/**
 * One asking with a key. `request` tells whether a second one asks for the same. Both are made with
 * a secret of the deployment, so that who reads the database can't guess a short key or a password
 * of the input; while the secret is rotated, older rows are read by the older one.
 */
export type Once = { readonly id: Buffer; readonly seals: readonly [Seal, ...Seal[]] };
type Seal = { readonly request: Buffer; readonly envelope: Envelope };

/**
 * Operations that make something and know their caller: they take an Idempotency-Key (in GraphQL
 * `idempotencyKey`).
 */
export function isCreating({ access, rest }: { readonly access: object; readonly rest: RestBinding }): boolean {
  return !('open' in access) && 'method' in rest && rest.method === 'POST' && rest.status === 201;
}

const wanted = /^[\x21-\x7e]{1,255}$/;
const form = {
  en: 'must have 1 to 255 visible ASCII characters, such as a UUID',
  de: 'muss 1 bis 255 sichtbare ASCII-Zeichen haben, etwa eine UUID',
};

type Asking = Pick<OperationContext<unknown>, 'actor' | 'request'>;

/** Undefined without a key, for callers without a token, and where nothing is made. */
export function onceOf(
  operation: Pick<Operation<never>, 'name' | 'access' | 'rest'>,
  input: OperationInput,
  context: Asking,
  [secret, ...olderSecrets]: readonly [string, ...string[]],
): Once | undefined {
  const { actor, request } = context;
  const key = request.idempotencyKey;
  if (key === undefined || actor.kind !== 'token' || !isCreating(operation)) return undefined;
  if (!wanted.test(key)) throw failures.validation('Idempotency-Key', form);
  const { type, sub, aud, roleId = '', scope } = actor.claims;
  // A retry may come with a renewed token, which has the same of all these. The credential is one
  // of them: who has another one of the same account is not shown what this one got.
  const asker = JSON.stringify([credentialOf(actor.claims), type, sub, aud, roleId, scope?.tenant ?? '', scope?.id ?? '']);
  const asked = [operation.name, JSON.stringify(input, inOrder)].join('\0');
  const sealBy = (one: string): Seal => {
    const derive = (what: string) => Buffer.from(hkdfSync('sha256', one, `${asker}\0${key}`, `tessera idempotent ${what} v1`, 32));
    return { request: createHmac('sha256', derive('request')).update(asked).digest(), envelope: createEnvelope([derive('answer')]) };
  };
  const id = createHash('sha256').update(`${asker}\0${key}`).digest();
  return { id, seals: [sealBy(secret), ...olderSecrets.map(sealBy)] };
}

/** The order in which a client writes the fields of an object does not matter. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

type Row = { readonly request: Buffer; readonly answer: Buffer | null };
export type Answer = { readonly result: unknown };

const standing = statement(
  'idempotency_standing',
  "SELECT request, answer FROM idempotency_keys WHERE id = $1 AND claimed_at > now() - interval '24 hours'",
);
const claim = statement('idempotency_claim', 'SELECT * FROM claim_idempotency_key($1, $2)');
const keep = statement('idempotency_keep', 'SELECT keep_idempotent_answer($1, $2)');

/** The answer that was given before, if any. */
export async function recallAnswer(database: Pick<Database, 'query'>, once: Once): Promise<Answer | undefined> {
  const [row] = await database.query<Row>(standing, [once.id]);
  return opened(row, once);
}

/**
 * First in the transaction of the change: claims the key, or waits for the twin that has it and
 * answers what that one answered. When the twin rolls back, this transaction has the key.
 */
export async function claimKey(tx: Transaction, once: Once): Promise<Answer | undefined> {
  return opened(await tx.one<Row>(claim, [once.id, once.seals[0].request]), once);
}

/** Last in it: what every repetition is answered. */
export async function keepAnswer(tx: Transaction, { id, seals: [{ envelope }] }: Once, result: unknown): Promise<void> {
  await tx.query(keep, [id, envelope.seal(serialize(result), id.toString('hex')).sealed]);
}

function opened(row: Row | undefined, { id, seals }: Once): Answer | undefined {
  if (row === undefined) return undefined;
  const envelope = seals.find(({ request }) => row.request.equals(request))?.envelope;
  if (envelope === undefined) throw idempotencyErrors.usedOtherwise();
  if (row.answer === null) throw new Error('a committed idempotency key has no answer');
  return { result: deserialize(envelope.open({ sealed: row.answer, encryptionKeyId: envelope.currentKeyId }, id.toString('hex'))) };
}
