/**
 * E-mail addresses are compared, stored and shown in one form: NFC, lower case (interface.md section 9). What tenancy invites, identity
 * registers: were their rules two, a link would be sent that nobody can accept.
 */
export function normalizeAddress(address: string): string {
  return address.normalize('NFC').toLowerCase().normalize('NFC');
}

const longestAddress = 254;
const addressShape =
  /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]*[\p{L}\p{N}]$/u;

/** Whether mail could be sent there at all: the shape only, for only a verification mail proves the rest. */
export function isAddress(address: string): boolean {
  return address.length <= longestAddress && addressShape.test(address) && !address.includes('..');
}
