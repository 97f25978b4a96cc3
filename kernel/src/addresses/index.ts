/**
 * E-mail addresses are compared, stored and shown in one form: NFC, lower case
 * (interface.md section 9). tenancy invites an address and identity registers it, so both must
 * normalize it in the same way.
 */
export function normalizeAddress(address: string): string {
  return address.normalize('NFC').toLowerCase().normalize('NFC');
}

const longestAddress = 254;
const addressShape =
  /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]*[\p{L}\p{N}]$/u;

/** Checks the syntax only; a verification mail proves that the address exists. */
export function isAddress(address: string): boolean {
  return address.length <= longestAddress && addressShape.test(address) && !address.includes('..');
}
