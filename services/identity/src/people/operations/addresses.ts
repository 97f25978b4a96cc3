import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';

/** The normalized address. 400 with the field when it is not an email address. */
export function readAddress(address: string, field: string): string {
  const normalized = normalizeAddress(address);
  if (!isAddress(normalized)) throw failures.validation(field, { en: 'is not an email address', de: 'ist keine E-Mail-Adresse' });
  return normalized;
}
