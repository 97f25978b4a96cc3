import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { Metadata, strict, validatorOf } from '@tessera/kernel/operation';
import Type from 'typebox';
import { nameFromAddress } from '../../../ground/domain/address.ts';
import { hashAlgorithms, readImportedHash } from '../../domain/imported-hash.ts';
import { markImported } from '../../passwords/imported-hash.ts';
import { PersonName } from '../entities.ts';

/** What an import demands of a row. Each row is checked by itself: one does not stop others. */
const fields = {
  email: Type.String({ minLength: 1, maxLength: 320 }),
  name: Type.Optional(PersonName),
  passwordHash: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  hashAlgorithm: Type.Optional(Type.Enum([...hashAlgorithms])),
  emailVerified: Type.Optional(Type.Boolean()),
  externalId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  metadata: Type.Optional(Metadata),
};
const names = Object.keys(fields);
const validators = Object.entries(fields).map(([name, schema]) => [name, validatorOf(strict({ [name]: schema }))] as const);

export type ReadRow = {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | undefined;
  readonly hashAlgorithm: string | undefined;
  readonly isVerified: boolean;
  readonly externalId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
};
export type RowFault = { readonly fault: string };

/** The person of a row, or what is wrong with it: the field, and never its value. */
export function readRow(given: Readonly<Record<string, unknown>>): ReadRow | RowFault {
  // null is what files write for an empty field.
  const row = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const unknown = Object.keys(row).find((name) => !names.includes(name));
  if (unknown !== undefined) return { fault: `${unknown.slice(0, 100)} is no field of a person` };
  for (const [name, validator] of validators) {
    const part = row[name] === undefined ? {} : { [name]: row[name] };
    const [error] = validator.Errors(part);
    if (error !== undefined) return { fault: name in part ? `${name} ${error.message}` : `${name} is required` };
  }
  return toPerson(row);
}

/** The validators have just checked the shape. */
function toPerson(row: Readonly<Record<string, unknown>>): ReadRow | RowFault {
  const { email, name, passwordHash, hashAlgorithm, emailVerified, externalId, metadata } = row as Shape;
  const address = normalizeAddress(email);
  if (!isAddress(address)) return { fault: 'email is not an email address' };
  if ((passwordHash === undefined) !== (hashAlgorithm === undefined))
    return {
      fault: passwordHash === undefined ? 'passwordHash is required with hashAlgorithm' : 'hashAlgorithm is required with passwordHash',
    };
  const hash = passwordHash === undefined || hashAlgorithm === undefined ? undefined : readImportedHash(hashAlgorithm, passwordHash);
  if (hash !== undefined && 'fault' in hash) return { fault: `passwordHash ${hash.fault}` };
  return {
    email: address,
    name: name ?? nameFromAddress(address),
    passwordHash: passwordHash === undefined ? undefined : markImported(passwordHash),
    hashAlgorithm,
    isVerified: emailVerified ?? false,
    externalId,
    metadata: metadata ?? {},
  };
}

type Shape = {
  readonly email: string;
  readonly name?: string;
  readonly passwordHash?: string;
  readonly hashAlgorithm?: (typeof hashAlgorithms)[number];
  readonly emailVerified?: boolean;
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};
