/**
 * A SAML identity provider for tests. Its signatures are xmlsec1's, so that no library in use here
 * proves itself.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const lacks = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error !== undefined;
/** Why tests with signed SAML messages can't run here, or false. */
export const withoutXmlsec = (lacks('xmlsec1') || lacks('openssl')) && 'NOT RUN with SAML: no xmlsec1 or openssl here';

/** Version 1.3 looks for keys by name only, unless told otherwise. */
const isNewer = () => / 1\.[3-9]/.test(execFileSync('xmlsec1', ['--version'], { encoding: 'utf8' }));

export const samlNames = {
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  password: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
} as const;

export type ResponseParts = {
  readonly acsUrl: string;
  readonly audience: string;
  readonly inResponseTo: string;
  readonly nowMs?: number;
  readonly nameId?: string;
  readonly format?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** Changes the assertion, or the whole message, before they are signed. */
  readonly changeAssertion?: (xml: string) => string;
  readonly changeResponse?: (xml: string) => string;
  /** 'none' signs nothing; 'both' the response too; 'response' it alone. */
  readonly signs?: 'assertion' | 'response' | 'both' | 'none';
  readonly method?: string;
  readonly digest?: string;
};

const inXml = (value: string) => value.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? one);
const newSamlId = () => `_${randomBytes(16).toString('hex')}`;
const at = (ms: number) => new Date(ms).toISOString();

export type SamlIdp = ReturnType<typeof openSamlIdp>;

export function openSamlIdp(cleanup: Pick<AsyncDisposableStack, 'defer'>, entityId = 'https://idp.birch.example/metadata') {
  const folder = mkdtempSync(join(tmpdir(), 'saml-idp-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const [key, pem, message] = [join(folder, 'key.pem'), join(folder, 'cert.pem'), join(folder, 'message.xml')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=idp', '-keyout', key, '-out', pem];
  execFileSync('openssl', made, { stdio: 'ignore' });
  const certificate = readFileSync(pem, 'utf8').replace(/-----[A-Z ]+-----|\s/g, '');

  const search = isNewer() ? ['--lax-key-search'] : [];

  function sign(xml: string, name: 'Assertion' | 'Response', id: string): string {
    writeFileSync(message, xml);
    const of = name === 'Assertion' ? 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion' : 'urn:oasis:names:tc:SAML:2.0:protocol:Response';
    const ids = ['--id-attr:ID', of, ...(name === 'Response' ? ['--id-attr:ID', 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion'] : [])];
    const place = ['--node-xpath', `//*[local-name()='Signature'][*/*[@URI='#${id}']]`];
    return execFileSync('xmlsec1', ['--sign', ...search, '--privkey-pem', `${key},${pem}`, ...ids, ...place, message], {
      encoding: 'utf8',
    });
  }

  const signatureOf = (id: string, { method, digest }: Pick<ResponseParts, 'method' | 'digest'>) =>
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="${method ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'}"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="${digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256'}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`;

  /** XML of an answer to a request. */
  function respond(parts: ResponseParts): string {
    const { acsUrl, audience, inResponseTo, nowMs = Date.now(), nameId = 'birch-1', format = samlNames.persistent } = parts;
    const { signs = 'assertion', changeAssertion = (xml) => xml, changeResponse = (xml) => xml } = parts;
    const [responseId, assertionId] = [newSamlId(), newSamlId()];
    const ends = at(nowMs + 300_000);
    const attributes = Object.entries(parts.attributes ?? {}).map(
      ([name, values]) =>
        `<saml:Attribute Name="${inXml(name)}">${values.map((value) => `<saml:AttributeValue>${inXml(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
    );
    const isAssertionSigned = signs === 'assertion' || signs === 'both';
    const isResponseSigned = signs === 'response' || signs === 'both';
    const assertion = changeAssertion(
      `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertionId}" Version="2.0" IssueInstant="${at(nowMs)}"><saml:Issuer>${inXml(entityId)}</saml:Issuer>${isAssertionSigned ? signatureOf(assertionId, parts) : ''}<saml:Subject><saml:NameID Format="${format}">${inXml(nameId)}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${inXml(inResponseTo)}" NotOnOrAfter="${ends}" Recipient="${inXml(acsUrl)}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(nowMs - 5_000)}" NotOnOrAfter="${ends}"><saml:AudienceRestriction><saml:Audience>${inXml(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(nowMs)}" SessionIndex="s1"><saml:AuthnContext><saml:AuthnContextClassRef>${samlNames.password}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${attributes.length > 0 ? `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` : ''}</saml:Assertion>`,
    );
    let xml = changeResponse(
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${responseId}" Version="2.0" IssueInstant="${at(nowMs)}" Destination="${inXml(acsUrl)}" InResponseTo="${inXml(inResponseTo)}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${inXml(entityId)}</saml:Issuer>${isResponseSigned ? signatureOf(responseId, parts) : ''}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`,
    );
    if (isAssertionSigned) xml = sign(xml, 'Assertion', assertionId);
    if (isResponseSigned) xml = sign(xml, 'Response', responseId);
    return xml;
  }

  const metadata = (ssoUrl: string) =>
    `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${inXml(entityId)}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${inXml(ssoUrl)}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;

  return { entityId, certificate, respond, metadata, sign };
}
