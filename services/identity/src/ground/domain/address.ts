import { toName } from '@tessera/kernel/operation';

/** The name of a person who gave none. */
export function nameFromAddress(address: string): string {
  return toName(address.slice(0, address.indexOf('@')), 200) || 'user';
}
