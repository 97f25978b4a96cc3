/** What a person is called who gave no name. */
export function nameFromAddress(address: string): string {
  return address.slice(0, address.indexOf('@'));
}
