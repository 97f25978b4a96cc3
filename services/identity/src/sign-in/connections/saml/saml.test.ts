/**
 * What an organization's SAML provider may say, and every way in which others have been made to
 * believe what it did not say. Signatures are xmlsec1's; the reader runs in its own process.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { testUnless } from '../../../../../../test/support/unless.ts';
import { openSamlIdp, type ResponseParts, type SamlIdp, samlNames, withoutXmlsec } from '../../../testing/saml-idp.ts';
import { SamlRefusal } from './document.ts';
import { createSamlReader } from './saml-reader.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const warnings: string[] = [];
const reader = createSamlReader({
  unavailable: () => new Error('unavailable'),
  logger: { warn: (_details, message) => warnings.push(message) },
  capacityEach: 64,
});
cleanup.defer(() => reader.stop());

const acsUrl = 'https://login.example/api/auth/connections/1/acs';
const spEntityId = 'https://login.example/api/auth/connections/1/metadata';
const request = '_request1';
const idps: { own?: SamlIdp; other?: SamlIdp } = {};
const own = () => (idps.own ??= openSamlIdp(cleanup));
const other = () => (idps.other ??= openSamlIdp(cleanup));
const respond = (parts: Partial<ResponseParts> = {}, idp = own()) =>
  idp.respond({ acsUrl, audience: spEntityId, inResponseTo: request, nameId: 'birch-1', ...parts });

function read(xml: string, certificates = [own().certificate], nowMs = Date.now()) {
  const settings = { idpEntityId: own().entityId, certificates, spEntityId, acsUrl, nowMs };
  return reader.response(Buffer.from(xml).toString('base64'), settings);
}

async function reasonOf(xml: string, certificates?: string[], nowMs?: number): Promise<string> {
  try {
    const { subject } = await read(xml, certificates, nowMs);
    return `TAKEN as ${subject}`;
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return error.message;
  }
}

testUnless(withoutXmlsec)('a signed assertion is read: subject, attributes, context, request', async () => {
  const attributes = { email: ['ann@birch.example'], groups: ['staff', 'a&b <c>'], __proto__x: ['1'] };
  expect(await read(respond({ attributes }))).toStrictEqual({
    inResponseTo: request,
    subject: 'birch-1',
    format: samlNames.persistent,
    attributes: { email: ['ann@birch.example'], groups: ['staff', 'a&b <c>'], __proto__x: ['1'] },
    contexts: [samlNames.password],
    authenticatedAtMs: expect.any(Number),
    sessionIndex: 's1',
    endsAtMs: expect.any(Number),
  });
  expect((await read(respond({ signs: 'both' }))).subject).toBe('birch-1');
  // Any of its certificates: providers renew them.
  expect((await read(respond(), [other().certificate, own().certificate])).subject).toBe('birch-1');
  // White space of XML is none of the name; other white space makes another name of it.
  expect((await read(respond({ nameId: ' birch-1\n' }))).subject).toBe('birch-1');
  expect((await read(respond({ nameId: 'birch-1\u00a0' }))).subject).toBe('birch-1\u00a0');
  const pretty = respond({ changeAssertion: (xml) => xml.replaceAll('><saml:', '>\n  <saml:') });
  expect((await read(pretty)).subject).toBe('birch-1');
});

const replace = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`${from} is not in the message`);
  return changed;
};
const inAssertion = (from: string | RegExp, to: string) => ({ changeAssertion: replace(from, to) });

/** The parts of a signed message, to build another one from. */
function partsOf(xml: string) {
  const assertion = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
  const signature = /<ds:Signature [\s\S]*?<\/ds:Signature>/.exec(assertion)?.[0] ?? '';
  const bare = assertion.replace(signature, '');
  const evil = bare.replace('birch-1', 'the-boss').replace(/ID="_/, 'ID="_evil');
  return { assertion, signature, bare, evil };
}

const forged: Record<string, () => string> = {
  'nothing is signed': () => respond({ signs: 'none' }),
  'only the response is signed': () => respond({ signs: 'response' }),
  'signed by another provider': () => respond({}, other()),
  'changed after it was signed': () => replace('birch-1', 'the-boss')(respond()),
  'an attribute changed': () => replace('staff', 'owner')(respond({ attributes: { groups: ['staff'] } })),
  'signature taken out': () => replace(/<ds:Signature [\s\S]*?<\/ds:Signature>/, '')(respond()),
  'RSA with SHA-1': () => respond({ method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
  'digest with SHA-1': () => respond({ digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
  'HMAC with the certificate': () => replace('xmldsig-more#rsa-sha256', 'xmldsig-more#hmac-sha256')(respond()),
  'wrapping 1: a response around the signed one': () => {
    const xml = respond({ signs: 'both' });
    const outer = xml.replace('birch-1', 'the-boss').replace(/ ID="_/g, ' ID="_evil');
    return outer.replace('</samlp:Response>', `${xml.replace(/<\?xml.*?\?>/, '')}</samlp:Response>`);
  },
  'wrapping 2: the signed response in the signature': () => {
    const xml = respond({ signs: 'both' });
    const outer = xml.replace('birch-1', 'the-boss').replace(/ ID="_/g, ' ID="_evil');
    return outer.replace('</ds:Signature>', `<ds:Object>${xml.replace(/<\?xml.*?\?>/, '')}</ds:Object></ds:Signature>`);
  },
  'wrapping 3: an assertion before the signed one': () => {
    const xml = respond();
    return replace('<saml:Assertion', `${partsOf(xml).evil}<saml:Assertion`)(xml);
  },
  'wrapping 4: the signed one inside another': () => {
    const xml = respond();
    const { assertion, evil } = partsOf(xml);
    return xml.replace(assertion, evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`));
  },
  'wrapping 5: the signature in the other, the signed one behind': () => {
    const xml = respond();
    const { assertion, signature, bare, evil } = partsOf(xml);
    return xml.replace(assertion, evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`) + bare);
  },
  'wrapping 6: the signed one in the signature of the other': () => {
    const xml = respond();
    const { assertion, signature, bare, evil } = partsOf(xml);
    return xml.replace(
      assertion,
      evil.replace('</saml:Issuer>', `</saml:Issuer>${signature.replace('</ds:Signature>', `${bare}</ds:Signature>`)}`),
    );
  },
  'wrapping 7: the other in Extensions': () => {
    const xml = respond();
    return replace('<samlp:Status>', `<samlp:Extensions>${partsOf(xml).evil}</samlp:Extensions><samlp:Status>`)(xml);
  },
  'wrapping 8: the signed one in an Object of the signature': () => {
    const xml = respond();
    const { assertion, signature, bare, evil } = partsOf(xml);
    const object = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
    return xml.replace(assertion, evil.replace('</saml:Issuer>', `</saml:Issuer>${object}`));
  },
  'the id of the signed one twice': () => {
    const xml = respond();
    const { evil, assertion } = partsOf(xml);
    const id = /ID="([^"]+)"/.exec(assertion)?.[1] ?? '';
    return xml.replace(assertion, evil.replace(/ID="[^"]+"/, `ID="${id}"`) + assertion);
  },
  'a comment in the subject': () => replace('the-boss.evil', 'the-boss<!---->.evil')(respond({ nameId: 'the-boss.evil' })),
  'a comment that was signed': () => respond(inAssertion('birch-1', 'the-boss<!--x-->.evil')),
  'a document type': () => `<!DOCTYPE x [<!ENTITY a "the-boss">]>${respond().replace(/<\?xml.*?\?>/, '')}`,
  'a processing instruction': () => respond().replace('birch-1', 'birch-1<?x?>'),
  'a second transform that drops': () =>
    replace(
      'xmldsig#enveloped-signature"/>',
      'xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>false()</ds:XPath></ds:Transform>',
    )(respond()),
  'an empty reference': () => replace(/URI="#[^"]+"/, 'URI=""')(respond()),
  // CVE-2025-29774: which of the two is verified, and which one names the digest?
  'two SignedInfo': () => {
    const xml = respond();
    const [info = ''] = /<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/.exec(xml) ?? [];
    const other = info.replace(/<ds:DigestValue>[^<]*/, `<ds:DigestValue>${'A'.repeat(43)}=`);
    return replace(info, other + info)(replace('birch-1', 'the-boss')(xml));
  },
  // CVE-2025-29775: text before the comment, or all of it?
  'a comment in the digest': () => replace('<ds:DigestValue>', `<ds:DigestValue><!--${'A'.repeat(43)}=-->`)(respond()),
  // CVE-2025-25291: another parser finds this one first.
  'a signature in StatusDetail': () => {
    const xml = respond();
    const { signature } = partsOf(xml);
    return replace('</samlp:Status>', `<samlp:StatusDetail>${signature}</samlp:StatusDetail></samlp:Status>`)(xml);
  },
  'an encrypted assertion': () =>
    replace(
      '</samlp:Response>',
      '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/></samlp:Response>',
    )(respond()),
  'not XML': () => 'hello',
  'another message': () => '<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>',
};

describe('signed, and not for here', () => {
  const wrong: readonly (readonly [string, Partial<ResponseParts>, string])[] = [
    ['another audience', { audience: 'https://other.example' }, 'audience'],
    ['no audience', inAssertion(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, ''), 'acceptable|audience'],
    [
      'two audiences that must both hold',
      inAssertion(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
      'audience',
    ],
    ['another recipient', inAssertion(`Recipient="${acsUrl}"`, 'Recipient="https://other.example/acs"'), 'Recipient'],
    ['no recipient', inAssertion(` Recipient="${acsUrl}"`, ''), 'Recipient'],
    ['holder of key', inAssertion('cm:bearer', 'cm:holder-of-key'), 'bearer'],
    [
      'two confirmations',
      inAssertion('</saml:Subject>', '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"/></saml:Subject>'),
      'more than once|acceptable',
    ],
    ['another issuer', inAssertion('https://idp.birch.example', 'https://idp.other.example'), 'Issuer'],
    ['another destination', { changeResponse: replace('Destination="https://login', 'Destination="https://other') }, 'Destination'],
    ['yesterday', { nowMs: Date.now() - 86_400_000 }, 'too old|acceptable'],
    ['tomorrow', { nowMs: Date.now() + 86_400_000 }, 'not yet valid'],
    ['never ends', inAssertion(/ NotOnOrAfter="[^"]+"><saml:AudienceRestriction/, '><saml:AudienceRestriction'), 'too old|acceptable'],
    ['a subject of this sign-in only', { format: samlNames.transient }, 'NameID'],
    ['no subject', inAssertion(/<saml:NameID.*<\/saml:NameID>/, ''), 'NameID'],
    ['an empty subject', { nameId: ' ' }, 'NameID'],
    ['began at the provider', inAssertion(` InResponseTo="${request}"`, ''), 'request'],
    ['a session that has ended', inAssertion('SessionIndex="s1"', 'SessionNotOnOrAfter="2020-01-01T00:00:00Z"'), 'session'],
    ['a time without zone', inAssertion(/AuthnInstant="[^"]+"/, 'AuthnInstant="2026-01-01T00:00:00"'), 'no time'],
    ['a failure', { changeResponse: replace('status:Success', 'status:Responder') }, 'Responder'],
  ];
  testUnless(withoutXmlsec)('each is refused for its reason', async () => {
    const found = await Promise.all(wrong.map(async ([name, parts, reason]) => [name, reason, await reasonOf(respond(parts))] as const));
    expect(found.filter(([, reason, message]) => !new RegExp(reason).test(message))).toStrictEqual([]);
  });
});

testUnless(withoutXmlsec)('no forged message is taken', async () => {
  const found = await Promise.all(Object.entries(forged).map(async ([name, make]) => [name, await reasonOf(make())] as const));
  expect(found.filter(([, reason]) => reason.startsWith('TAKEN'))).toStrictEqual([]);
  // The table is no list of accidents: the same message, left alone, is taken.
  expect(await reasonOf(respond())).toBe('TAKEN as birch-1');
});

testUnless(withoutXmlsec)('size and depth are bounded, and a message that takes too long ends its process only', async () => {
  const deep = `${'<a>'.repeat(2_000)}${'</a>'.repeat(2_000)}`;
  const huge = respond({ attributes: { groups: ['x'.repeat(300_000)] } });
  const many = respond({ attributes: { groups: Array.from({ length: 1_500 }, (_, index) => String(index)) } });
  // What costs the parser the square of its length never reaches it.
  const nested = Array.from({ length: 4_000 }, (_, index) => `<a xmlns:p${index}="x">`).join('');
  const wide = `<a ${Array.from({ length: 12_000 }, (_, index) => `b${index}="x"`).join(' ')}/>`;
  expect(await Promise.all([nested, wide].map((xml) => reasonOf(xml)))).toStrictEqual(
    Array(2).fill('the message is too deep or too large'),
  );
  expect(await Promise.all([reasonOf(deep), reasonOf(huge), reasonOf(many)])).toStrictEqual([
    'the message is too deep or too large',
    'the answer is empty or too long',
    'there are too many attributes',
  ]);
  const slow = createSamlReader({
    unavailable: () => new Error('unavailable'),
    logger: { warn: () => undefined },
    capacityEach: 2,
    longestMs: 1,
  });
  cleanup.defer(() => slow.stop());
  const settings = { idpEntityId: own().entityId, certificates: [own().certificate], spEntityId, acsUrl, nowMs: Date.now() };
  const response = Buffer.from(respond()).toString('base64');
  const asked = [1, 2, 3].map(() =>
    slow.response(response, settings).then(
      () => 'read',
      (error: Error) => error.message,
    ),
  );
  expect(await Promise.all(asked)).toStrictEqual([expect.stringMatching(/read/), expect.stringMatching(/read/), 'unavailable']);
});

describe('metadata', () => {
  testUnless(withoutXmlsec)('gives entity, address and certificates', async () => {
    const ssoUrl = 'https://idp.birch.example/sso?tenant=1&x=2';
    expect(await reader.metadata(own().metadata(ssoUrl), 'o')).toStrictEqual({
      entityId: own().entityId,
      ssoUrl,
      certificates: [own().certificate],
    });
  });

  test('is refused in words', async () => {
    const old = '<m:EntityDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x" validUntil="2020-01-01T00:00:00Z"/>';
    const reasons = [old, '<x/>', 'nothing', '<!DOCTYPE a><a/>', `<a>${' '.repeat(600_000)}</a>`].map((xml) =>
      reader.metadata(xml, 'o').then(
        () => 'taken',
        (error: Error) => error.message,
      ),
    );
    expect(await Promise.all(reasons)).toStrictEqual([
      'validUntil of the metadata is over, or no time',
      'the metadata must describe one identity provider',
      'the message is not well-formed XML',
      'the message holds a document type, an entity, a comment or CDATA',
      'the metadata is longer than 512 kB',
    ]);
  });
});
