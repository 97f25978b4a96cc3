/** What a client gives of its SAML provider, and what its metadata says. */
import { createHash, X509Certificate } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { assertReachable } from '@tessera/kernel/guard';
import { Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { SamlProvider } from '../../../ground/domain/connection.ts';
import { SamlRefusal } from '../../connections/saml/document.ts';
import { longestMetadata } from '../../connections/saml/read-metadata.ts';
import type { SignInDeps } from '../../deps.ts';

export const Saml = strict(
  {
    metadataUrl: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'Where the provider publishes its metadata; read now' }),
    ),
    metadataXml: Type.Optional(
      Type.String({ minLength: 1, maxLength: longestMetadata, description: 'In place of metadataUrl: the metadata itself' }),
    ),
  },
  {
    graphqlType: 'ConnectionSamlInput',
    description: 'Of type saml: metadataUrl or metadataXml. It may come later, but before the connection is active',
  },
);
type Given = Static<typeof Saml>;

export const ShownSaml = Type.Object({
  metadataUrl: Nullable(Type.String()),
  entityId: Type.String(),
  ssoUrl: Type.String(),
  certificates: Type.Array(Type.Object({ fingerprint: Type.String({ description: 'SHA-256, in hexadecimal digits' }), endsAt: Timestamp })),
});

export function showSaml({ metadataUrl, entityId, ssoUrl, certificates }: SamlProvider): Static<typeof ShownSaml> {
  return { metadataUrl, entityId, ssoUrl, certificates: certificates.map(showCertificate) };
}

function showCertificate(base64: string) {
  const der = Buffer.from(base64, 'base64');
  const endsAt = new Date(new X509Certificate(der).validTo).toISOString();
  return { fingerprint: createHash('sha256').update(der).digest('hex'), endsAt };
}

export type MetadataDeps = Pick<SignInDeps, 'samlReader' | 'guardedFetch'> & {
  readonly settings: Pick<SignInDeps['settings'], 'allowPrivateAddresses'>;
};

/** What the given metadata says; refused in words for the administrator. */
export async function readGivenSaml(
  { metadataUrl, metadataXml }: Given,
  organizationId: string,
  deps: MetadataDeps,
): Promise<SamlProvider> {
  if ((metadataUrl === undefined) === (metadataXml === undefined))
    throw wrong('saml', 'needs metadataUrl or metadataXml, not both', 'braucht metadataUrl oder metadataXml, nicht beides');
  const xml = metadataXml ?? (await fetchMetadata(metadataUrl ?? '', deps));
  const field = metadataXml === undefined ? 'saml.metadataUrl' : 'saml.metadataXml';
  try {
    const read = await deps.samlReader.metadata(xml, organizationId);
    assertBrowserAddress(read.ssoUrl, deps);
    return { metadataUrl: metadataUrl ?? null, ...read };
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    throw wrong(field, `is no usable metadata: ${error.message}`, `sind keine brauchbaren Metadaten: ${error.message}`);
  }
}

async function fetchMetadata(url: string, { guardedFetch, settings }: MetadataDeps): Promise<string> {
  const unreachable = () =>
    wrong(
      'saml.metadataUrl',
      'gave no metadata: it must be an https address that answers 200 within 5 seconds, without a redirect',
      'lieferte keine Metadaten: Es muss eine https-Adresse sein, die binnen 5 Sekunden mit 200 antwortet, ohne Weiterleitung',
    );
  try {
    assertReachable(new URL(url), settings.allowPrivateAddresses);
    const response = await guardedFetch(url, { headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' } });
    if (response.status !== 200) throw unreachable();
    return await response.text();
  } catch {
    throw unreachable();
  }
}

/** A browser goes there: never over plain HTTP. */
function assertBrowserAddress(ssoUrl: string, { settings }: MetadataDeps): void {
  const { protocol, username, password } = new URL(ssoUrl);
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && settings.allowPrivateAddresses);
  if (!isAllowed || username !== '' || password !== '') throw new SamlRefusal('SingleSignOnService must begin with https');
}

function wrong(field: string, en: string, de: string) {
  return failures.validation(field, { en, de });
}
