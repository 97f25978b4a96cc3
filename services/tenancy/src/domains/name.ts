/** The one form of a domain, and which names no organization can claim. */
import { domainToASCII } from 'node:url';
import publicMailDomains from 'free-email-domains';
import { parse } from 'tldts';
import { longestDomain } from '../domain/domain.ts';

export type NameFault = 'form' | 'more' | 'long' | 'ip' | 'suffix' | 'public';
export type ParsedName = { readonly domain: string } | { readonly fault: NameFault };

const publicMail: ReadonlySet<string> = new Set(publicMailDomains);
/** Letters, digits and hyphens: names of hosts. Others cannot stand in an address. */
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * ASCII, lower case, without the dot at the end, as WHATWG's URL standard writes a host. The
 * registers of suffixes and of public mail domains are asked for a claim only.
 */
export function parseDomain(text: string): ParsedName {
  const name = text.trim().replace(/\.$/, '');
  if (/[@/\\?#]|:\/\//.test(name)) return { fault: 'more' };
  const ascii = domainToASCII(name);
  const { isIp, domain: registrable, publicSuffix } = parse(ascii, { allowPrivateDomains: true });
  if (isIp === true || /^\[|^[0-9a-f]*:[0-9a-f:]+$/i.test(name)) return { fault: 'ip' };
  if (ascii.includes('.') && ascii === publicSuffix) return { fault: 'suffix' };
  if (!hostName.test(ascii) || registrable === null) return { fault: 'form' };
  if (ascii.length > longestDomain) return { fault: 'long' };
  return parentsOf(ascii).some((parent) => publicMail.has(parent)) ? { fault: 'public' } : { domain: ascii };
}

/** The domain of an address, as a claim has it; empty where no organization can have proven it. */
export function domainOf(address: string): string {
  const parsed = parseDomain(address.slice(address.lastIndexOf('@') + 1));
  return 'domain' in parsed ? parsed.domain : '';
}

/** The domain itself and those above it. */
function parentsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
}
