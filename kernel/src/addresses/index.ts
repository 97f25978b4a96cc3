import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * The one form of an address, in tenancy and identity: NFC, without capitals, and the domain in its
 * own letters. Mail programs send both spellings of a domain to one mailbox.
 */
export function normalizeAddress(address: string): string {
  const form = address.normalize('NFC').toLowerCase().normalize('NFC');
  const [local, domain] = partsOf(form);
  return needsConversion.test(domain) ? local + (domainToUnicode(domainToASCII(domain)) || domain) : form;
}

/** The local part with the @, and the domain. */
function partsOf(address: string): readonly [local: string, domain: string] {
  const start = address.lastIndexOf('@') + 1;
  return [address.slice(0, start), address.slice(start)];
}

/** What UTS 46 changes: letters beyond ASCII, and punycode. */
const needsConversion = /[^\p{ASCII}]|(?:^|\.)xn--/u;
const longestAddress = 254;
const localShape = /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@$/u;
const domainShape = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d][a-z\d-]*[a-z\d]$/i;

/** Checks the syntax only; a verification mail proves that the address exists. */
export function isAddress(address: string): boolean {
  if (address.length > longestAddress || address.includes('..')) return false;
  const [local, domain] = partsOf(address);
  return localShape.test(local) && domainShape.test(needsConversion.test(domain) ? domainToASCII(domain) : domain);
}
