/** The address that was typed last, so that the next page has it. In memory only. */
let address = '';

export function rememberAddress(typed: string): void {
  address = typed.trim();
}

export function typedAddress(): string {
  return address;
}
