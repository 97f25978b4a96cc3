/** The one form of an address, in tenancy and identity: NFC, without capitals. */
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
