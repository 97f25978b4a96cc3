/**
 * Reads an answer of an organization's SAML identity provider (SAML Core 2.0, Profiles 4.1.4).
 *
 * Three steps, each of which refuses alone: the shape of the message, before a signature is looked
 * at; the signature, audience, times and issuer, by @node-saml/node-saml; then what that library
 * leaves open. Claims are read from the bytes that the assertion's own signature covers.
 */
import { createRequire } from 'node:module';
import { childrenOf, descendantsNamed, isNamed, onlyChild, parseXml, SamlRefusal, textOf, type XmlElement } from './document.ts';

export type ResponseSettings = {
  /** As the provider calls itself (entityID). */
  readonly idpEntityId: string;
  /** PEM or base64 without armour; any of them may have signed. */
  readonly certificates: readonly string[];
  readonly spEntityId: string;
  readonly acsUrl: string;
  readonly nowMs: number;
};

/** What a signed assertion says. Times are milliseconds since 1970. */
export type SamlAnswer = {
  /** The request that it answers: the caller compares it with the one that this browser made. */
  readonly inResponseTo: string;
  readonly subject: string;
  readonly format: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly contexts: readonly string[];
  readonly authenticatedAtMs?: number;
  readonly sessionIndex?: string;
  /** Not to be taken from then on. */
  readonly endsAtMs: number;
};

/** base64 of an answer. Providers with hundreds of groups send some 60 kB. */
export const longestResponse = 256 * 1_024;
const skewMs = 60_000;
const longestAgeMs = 10 * 60_000;
const mostAttributes = 200;
const mostValues = 1_000;
const longestValue = 4_096;

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const entity = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/** SHA-1, HMAC and what is not named here prove nothing. */
const signatureMethods = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const digestMethods = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

type Profile = { getAssertionXml?: () => string };
type Validator = { validatePostResponseAsync(container: { SAMLResponse: string }): Promise<{ profile: Profile | null }> };
type NodeSaml = {
  readonly SAML: new (options: Readonly<Record<string, unknown>>) => Validator;
  readonly ValidateInResponseTo: { readonly never: string };
};
const { SAML, ValidateInResponseTo } = createRequire(import.meta.url)('@node-saml/node-saml') as NodeSaml;

/** Throws `SamlRefusal`. `response` is the form field SAMLResponse. */
export async function readResponse(response: string, settings: ResponseSettings): Promise<SamlAnswer> {
  const xml = decode(response);
  const root = parseXml(xml);
  assertShape(root, settings);
  const assertion = parseXml(await verify(Buffer.from(xml).toString('base64'), settings));
  if (!isNamed(assertion, 'assertion', 'Assertion')) throw new SamlRefusal('the signature covers no assertion');
  return readAssertion(assertion, settings);
}

function decode(response: string): string {
  const compact = response.replace(/[\r\n\t ]/g, '');
  if (compact.length === 0 || compact.length > longestResponse) throw new SamlRefusal('the answer is empty or too long');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw new SamlRefusal('the answer is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(compact, 'base64'));
  } catch {
    throw new SamlRefusal('the answer is not UTF-8');
  }
}

/** Before any signature: one assertion in its place, signed itself, and nothing that wraps. */
function assertShape(root: XmlElement, { acsUrl, idpEntityId }: ResponseSettings): void {
  if (!isNamed(root, 'protocol', 'Response')) throw new SamlRefusal('the message is no Response');
  if (root.getAttribute('Version') !== '2.0') throw new SamlRefusal('the version is not 2.0');
  const destination = root.getAttribute('Destination');
  if (root.hasAttribute('Destination') && destination !== acsUrl) throw new SamlRefusal('Destination is another address');
  const [issuer] = childrenOf(root, 'assertion', 'Issuer');
  if (issuer !== undefined && textOf(issuer) !== idpEntityId) throw new SamlRefusal('Issuer is another provider');
  const code = onlyChild(onlyChild(root, 'protocol', 'Status'), 'protocol', 'StatusCode').getAttribute('Value');
  if (code !== success) throw new SamlRefusal(`the provider answered ${/^[\w:.-]{1,100}$/.test(code) ? code : 'with a failure'}`);
  if (descendantsNamed(root, 'EncryptedAssertion').length > 0) throw new SamlRefusal('the assertion is encrypted: switch encryption off');
  const assertion = onlyChild(root, 'assertion', 'Assertion');
  if (descendantsNamed(root, 'Assertion').length !== 1) throw new SamlRefusal('there is a second assertion');
  if (descendantsNamed(root, 'Response').length > 0) throw new SamlRefusal('there is a second response');
  const own = childrenOf(assertion, 'signature', 'Signature');
  if (own.length !== 1) throw new SamlRefusal('the assertion itself is not signed');
  const all = [...childrenOf(root, 'signature', 'Signature'), ...own];
  if (descendantsNamed(root, 'Signature').length !== all.length) throw new SamlRefusal('a signature stands where none belongs');
  for (const signature of all) assertSignature(signature);
}

/** One reference, to the element that holds the signature, in the ways that prove something. */
function assertSignature(signature: XmlElement): void {
  const signed = onlyChild(signature, 'signature', 'SignedInfo');
  const methodOf = (parent: XmlElement, name: string) => onlyChild(parent, 'signature', name).getAttribute('Algorithm');
  if (!signatureMethods.has(methodOf(signed, 'SignatureMethod'))) throw new SamlRefusal('the algorithm of the signature is not accepted');
  if (methodOf(signed, 'CanonicalizationMethod') !== exclusive) throw new SamlRefusal('the canonicalization is not accepted');
  const reference = onlyChild(signed, 'signature', 'Reference');
  const id = (signature.parentNode as XmlElement).getAttribute('ID');
  if (id === '' || reference.getAttribute('URI') !== `#${id}`) throw new SamlRefusal('the signature covers another element');
  if (!digestMethods.has(methodOf(reference, 'DigestMethod'))) throw new SamlRefusal('the digest is not accepted');
  const transforms = childrenOf(onlyChild(reference, 'signature', 'Transforms'), 'signature', 'Transform');
  const names = transforms.map((transform) => transform.getAttribute('Algorithm'));
  if (names.length !== 2 || names[0] !== enveloped || names[1] !== exclusive) throw new SamlRefusal('the transforms are not accepted');
  if (childrenOf(signature, 'signature', 'Object').length > 0) throw new SamlRefusal('the signature holds an object');
}

/** The assertion as its signature covers it. */
async function verify(response: string, { certificates, idpEntityId, spEntityId, acsUrl }: ResponseSettings): Promise<string> {
  if (certificates.length === 0) throw new SamlRefusal('there is no certificate of the provider');
  const validator = new SAML({
    idpCert: [...certificates],
    idpIssuer: idpEntityId,
    issuer: spEntityId,
    audience: spEntityId,
    callbackUrl: acsUrl,
    wantAssertionsSigned: true,
    // The response may be signed, the assertion must be.
    wantAuthnResponseSigned: false,
    // The caller compares it: the flow of a browser can be taken once.
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: skewMs,
    maxAssertionAgeMs: longestAgeMs,
  });
  const profile = await validator.validatePostResponseAsync({ SAMLResponse: response }).then(
    (answer) => answer.profile,
    (error: unknown) => {
      // The library's messages may quote what came from outside.
      const message = Error.isError(error) ? error.message : '';
      if (/signature/i.test(message)) throw new SamlRefusal('the signature does not verify');
      if (/audience/i.test(message)) throw new SamlRefusal('the audience is another');
      if (/not yet valid|expired|too old/i.test(message)) throw new SamlRefusal('the assertion is too old or not yet valid');
      throw new SamlRefusal('the assertion is not acceptable');
    },
  );
  const assertion = profile?.getAssertionXml?.();
  if (assertion === undefined) throw new SamlRefusal('there is no assertion');
  return assertion;
}

function readAssertion(assertion: XmlElement, settings: ResponseSettings): SamlAnswer {
  if (textOf(onlyChild(assertion, 'assertion', 'Issuer')) !== settings.idpEntityId) throw new SamlRefusal('Issuer is another provider');
  const { nowMs, spEntityId } = settings;
  const conditions = onlyChild(assertion, 'assertion', 'Conditions');
  const endsAtMs = assertWithin(conditions, nowMs);
  assertAudience(conditions, spEntityId);
  const subject = onlyChild(assertion, 'assertion', 'Subject');
  const confirmed = confirmationOf(subject, settings);
  const nameId = onlyChild(subject, 'assertion', 'NameID');
  const format = nameId.getAttribute('Format') || unspecified;
  if (format === transient || format === entity) throw new SamlRefusal('NameID must be one that stays: persistent, or an address');
  const statement = onlyChild(assertion, 'assertion', 'AuthnStatement');
  const endOfSession = timeOf(statement, 'SessionNotOnOrAfter');
  if (endOfSession !== undefined && endOfSession <= nowMs - skewMs) throw new SamlRefusal('the session at the provider has ended');
  const authenticatedAtMs = timeOf(statement, 'AuthnInstant');
  const sessionIndex = statement.getAttribute('SessionIndex');
  return {
    inResponseTo: confirmed.inResponseTo,
    subject: bounded(textOf(nameId), 'NameID'),
    format,
    attributes: attributesOf(assertion),
    contexts: childrenOf(statement, 'assertion', 'AuthnContext').flatMap((context) =>
      childrenOf(context, 'assertion', 'AuthnContextClassRef').map((name) => bounded(textOf(name), 'AuthnContextClassRef')),
    ),
    ...(authenticatedAtMs === undefined ? {} : { authenticatedAtMs }),
    ...(sessionIndex === '' || sessionIndex.length > 500 ? {} : { sessionIndex }),
    endsAtMs: Math.min(endsAtMs, confirmed.endsAtMs),
  };
}

function bounded(value: string, name: string): string {
  if (value === '' || value.length > longestValue) throw new SamlRefusal(`${name} is empty or too long`);
  return value;
}

/** Profiles 4.1.4.2: at least one restriction, and each of them names us. */
function assertAudience(conditions: XmlElement, spEntityId: string): void {
  const restrictions = childrenOf(conditions, 'assertion', 'AudienceRestriction');
  const isFor = (restriction: XmlElement) => childrenOf(restriction, 'assertion', 'Audience').some((one) => textOf(one) === spEntityId);
  if (restrictions.length === 0 || !restrictions.every(isFor)) throw new SamlRefusal('the audience is another');
}

/** Profiles 4.1.4.2 and 4.1.4.3: a bearer, for this address, in time, in answer to a request. */
function confirmationOf(subject: XmlElement, { acsUrl, nowMs }: ResponseSettings): { inResponseTo: string; endsAtMs: number } {
  const confirmation = onlyChild(subject, 'assertion', 'SubjectConfirmation');
  if (confirmation.getAttribute('Method') !== bearer) throw new SamlRefusal('the confirmation is no bearer');
  const data = onlyChild(confirmation, 'assertion', 'SubjectConfirmationData');
  if (data.getAttribute('Recipient') !== acsUrl) throw new SamlRefusal('Recipient is another address');
  if (data.hasAttribute('NotBefore')) throw new SamlRefusal('a bearer has no NotBefore');
  const endsAtMs = timeOf(data, 'NotOnOrAfter');
  if (endsAtMs === undefined || endsAtMs <= nowMs - skewMs) throw new SamlRefusal('the confirmation is too old');
  const inResponseTo = data.getAttribute('InResponseTo');
  if (inResponseTo === '') throw new SamlRefusal('the answer has no request: sign-ins begin here');
  return { inResponseTo, endsAtMs };
}

function assertWithin(conditions: XmlElement, nowMs: number): number {
  const begins = timeOf(conditions, 'NotBefore');
  const ends = timeOf(conditions, 'NotOnOrAfter');
  if (begins !== undefined && begins > nowMs + skewMs) throw new SamlRefusal('the assertion is not yet valid');
  if (ends === undefined || ends <= nowMs - skewMs) throw new SamlRefusal('the assertion is too old');
  return ends;
}

/** xs:dateTime in UTC, as SAML Core 1.3.3 demands. */
function timeOf(parent: XmlElement, name: string): number | undefined {
  const value = parent.getAttribute(name);
  if (value === '') return undefined;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new SamlRefusal(`${name} is no time in UTC`);
  return time;
}

/** By name, with the values of all statements. */
function attributesOf(assertion: XmlElement): Record<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let count = 0;
  for (const statement of childrenOf(assertion, 'assertion', 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, 'assertion', 'Attribute')) {
      const name = bounded(attribute.getAttribute('Name'), 'the name of an attribute');
      const values = found.get(name) ?? [];
      for (const value of childrenOf(attribute, 'assertion', 'AttributeValue')) {
        count += 1;
        const said = textValueOf(value);
        if (said !== undefined) values.push(said);
      }
      found.set(name, values);
    }
  }
  if (found.size > mostAttributes || count > mostValues) throw new SamlRefusal('there are too many attributes');
  return Object.fromEntries(found);
}

/** Undefined for a value that is no text: a persistent NameID inside, or XML of the provider. */
function textValueOf(value: XmlElement): string | undefined {
  for (let child = value.firstChild; child !== null; child = child.nextSibling) if (child.nodeType === 1) return undefined;
  const said = textOf(value);
  return said.length > longestValue ? undefined : said;
}
