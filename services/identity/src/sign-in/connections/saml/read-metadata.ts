/** Reads the metadata of a SAML identity provider (SAML Metadata 2.0). */
import { X509Certificate } from 'node:crypto';
import { childrenOf, descendantsNamed, isNamed, parseXml, SamlRefusal, textOf, type XmlElement } from './document.ts';

export type ProviderMetadata = {
  readonly entityId: string;
  /** Where browsers go with a request, by HTTP-Redirect (Bindings 3.4). */
  readonly ssoUrl: string;
  /** base64 of DER, those that sign. */
  readonly certificates: readonly string[];
};

export const longestMetadata = 512 * 1_024;
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const mostCertificates = 10;
const leastRsaBits = 2_048;

/** Throws `SamlRefusal`, in words for the administrator who gave the metadata. */
export function readMetadata(xml: string): ProviderMetadata {
  if (xml.length > longestMetadata) throw new SamlRefusal('the metadata is longer than 512 kB');
  const root = parseXml(xml.replace(/^\uFEFF/, '').replace(/<!--[\s\S]*?-->/g, ''));
  const entity = isNamed(root, 'metadata', 'EntityDescriptor') ? root : onlyEntityOf(root);
  for (const one of [root, entity]) assertStillValid(one.getAttribute('validUntil'));
  const entityId = entity.getAttribute('entityID');
  if (entityId === '' || entityId.length > 1_024) throw new SamlRefusal('entityID is missing or too long');
  const roles = childrenOf(entity, 'metadata', 'IDPSSODescriptor').filter((role) =>
    role.getAttribute('protocolSupportEnumeration').split(/\s+/).includes(protocol),
  );
  const [role, ...more] = roles;
  if (role === undefined || more.length > 0) throw new SamlRefusal('there must be one IDPSSODescriptor for SAML 2.0');
  return { entityId, ssoUrl: ssoUrlOf(role), certificates: certificatesOf(role) };
}

function assertStillValid(until: string): void {
  const time = until === '' ? Number.POSITIVE_INFINITY : Date.parse(until);
  if (Number.isNaN(time) || time <= Date.now()) throw new SamlRefusal('validUntil of the metadata is over, or no time');
}

function onlyEntityOf(root: XmlElement): XmlElement {
  const all = isNamed(root, 'metadata', 'EntitiesDescriptor') ? descendantsNamed(root, 'EntityDescriptor') : [];
  const providers = all.filter((one) => childrenOf(one, 'metadata', 'IDPSSODescriptor').length > 0);
  const [provider, ...more] = providers;
  if (provider === undefined || more.length > 0) throw new SamlRefusal('the metadata must describe one identity provider');
  return provider;
}

function ssoUrlOf(role: XmlElement): string {
  const services = childrenOf(role, 'metadata', 'SingleSignOnService');
  const service = services.find((one) => one.getAttribute('Binding') === redirect);
  const location = service?.getAttribute('Location') ?? '';
  if (!URL.canParse(location)) throw new SamlRefusal('there is no SingleSignOnService with the binding HTTP-Redirect');
  return location;
}

function certificatesOf(role: XmlElement): string[] {
  const signing = childrenOf(role, 'metadata', 'KeyDescriptor').filter((key) => ['', 'signing'].includes(key.getAttribute('use')));
  const found = new Set(signing.flatMap((key) => descendantsNamed(key, 'X509Certificate')).map((one) => textOf(one).replace(/\s/g, '')));
  if (found.size === 0 || found.size > mostCertificates) throw new SamlRefusal('there must be one to ten certificates that sign');
  return [...found].map(readCertificate);
}

/** base64 of a certificate with an RSA key of 2,048 bits or more. */
export function readCertificate(base64: string): string {
  const certificate = parseCertificate(base64);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < leastRsaBits)
    throw new SamlRefusal('a certificate needs an RSA key of 2,048 bits or more');
  return certificate.raw.toString('base64');
}

function parseCertificate(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    throw new SamlRefusal('a certificate is not readable');
  }
}
