/**
 * E-mail addresses are compared, stored and shown in one form: NFC, lower case (interface.md section 9). The same rule as identity's,
 * which registers who accepts; test/parity/addresses.test.ts holds the two together.
 */
export function normalizeAddress(address: string): string {
  return address.normalize('NFC').toLowerCase().normalize('NFC');
}

const longestAddress = 254;
const addressShape =
  /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]*[\p{L}\p{N}]$/u;

/** Whether mail could be sent there at all; that it arrives is what the invitation proves. */
export function isAddress(address: string): boolean {
  return address.length <= longestAddress && addressShape.test(address) && !address.includes('..');
}
