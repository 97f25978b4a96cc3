/** The name of a person who gave none. */
export function nameFromAddress(address: string): string {
  return address.slice(0, address.indexOf('@'));
}
