import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';

/** The one form of an address that somebody gave; refused (400, with the field) when no mail could be sent there. */
export function readAddress(address: string, field: string): string {
  const normalized = normalizeAddress(address);
  if (!isAddress(normalized)) throw failures.validation(field, 'is not an email address');
  return normalized;
}
