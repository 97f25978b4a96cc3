import { entityFields, Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { SigningKey } from '../../domain/signing-key.ts';

export const projectTenants = ['accountProject', 'organizationProject'] as const;

export const SigningKeySchema = Type.Object({
  ...entityFields,
  kid: Id,
  es256Kid: Nullable(Id),
  scope: Type.Object({ tenant: Type.Enum([...projectTenants]), id: Type.String() }),
  status: Type.Enum(['next', 'active', 'rotated']),
  activatedAt: Nullable(Timestamp),
  rotatedAt: Nullable(Timestamp),
});

/** A signing key as clients see it: its kid is its id. */
export function toSigningKey({ kid, es256, scope, status, createdAt, activatedAt, rotatedAt }: SigningKey) {
  if (scope.tenant === 'system') throw new Error('the system’s keys are not listed');
  const updatedAt = rotatedAt ?? activatedAt ?? createdAt;
  return { id: kid, kid, es256Kid: es256?.kid ?? null, scope, status, createdAt, activatedAt, rotatedAt, updatedAt, deletedAt: null };
}
