import { type Static, type TSchema, Type } from 'typebox';

function topic<Payload extends TSchema>(name: string, about: string, payload: Payload) {
  return { subject: `tessera.${name}.v1`, about, payload };
}

const id = Type.String({ minLength: 1, maxLength: 1_000 });
const time = Type.String({ format: 'date-time' });

/** Notices may be lost or repeated. Each topic is a subject, so that NATS can permit it alone. */
export const topics = {
  revocation: topic(
    'revocation',
    'Tokens are refused from now on: those of this session or API key, user, signing key or scope of a project grant that were issued before `before`.',
    Type.Object({ kind: Type.Enum(['jti', 'user', 'kid', 'scope']), value: id, before: time, expiresAt: time }),
  ),
  'tenant-changed': topic(
    'tenant-changed',
    'Decisions in this account, organization or project may have changed.',
    Type.Object({ tenantKey: id, version: Type.Number() }),
  ),
  'keys-rotated': topic('keys-rotated', 'A signing key of this issuer was made, activated or withdrawn.', Type.Object({ issuer: id })),
  'schema-changed': topic('schema-changed', 'A service serves a new version of its subgraph.', Type.Object({ service: id })),
  outbox: topic('outbox', 'The outbox of a service holds events that are due.', Type.Object({ service: id })),
} as const;

export type Topic = keyof typeof topics;
export type NoticePayloads = { [Name in Topic]: Static<(typeof topics)[Name]['payload']> };

export const topicNames = Object.keys(topics) as readonly Topic[];
export const subjects: readonly string[] = topicNames.map((name) => topics[name].subject);
