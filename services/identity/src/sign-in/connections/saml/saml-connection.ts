/**
 * The identity provider of an organization, by SAML 2.0 (Web Browser SSO, SP-initiated; request by
 * HTTP-Redirect, answer by HTTP-POST). A sign-in that begins at the provider is refused.
 */
import { createRequire } from 'node:module';
import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { toName } from '@tessera/kernel/operation';
import { providerOfConnection } from '../../../ground/domain/connection.ts';
import { digest } from '../../../ground/tokens/digest.ts';
import type { FlowStore } from '../../flow.ts';
import { causeInWords } from '../cause.ts';
import { readClaims } from '../claims.ts';
import type { Profile } from '../profiles.ts';
import { type Attempt, type Claims, type ConfiguredProvider, type ProvenIdentity, ProviderRefusal } from '../provider.ts';
import { SamlRefusal } from './document.ts';
import type { SamlAnswer } from './read-response.ts';

/** What an organization has given of its provider, as its metadata says it. */
export type SamlSettings = { readonly entityId: string; readonly ssoUrl: string; readonly certificates: readonly string[] };

/** On its way from the provider's form to the browser's own request: verified, or why it is not. */
export type ArrivedAnswer = { readonly connectionId: string } & ({ readonly answer: KeptAnswer } | { readonly refusal: string });

/** What is needed of an answer later. */
type KeptAnswer = Pick<SamlAnswer, 'inResponseTo' | 'endsAtMs' | 'authenticatedAtMs'> & {
  readonly profile: Profile;
  readonly claims: Claims;
  /** How the person signed in there, where the assertion names one way. */
  readonly acr?: string;
  /** For a test: what stands beside the attributes. */
  readonly beside: Readonly<Record<string, unknown>>;
};

export function keptOf(answer: SamlAnswer): KeptAnswer {
  const { inResponseTo, endsAtMs, authenticatedAtMs, subject, format, contexts } = answer;
  const [acr, ...others] = contexts;
  return {
    inResponseTo,
    endsAtMs,
    ...(authenticatedAtMs === undefined ? {} : { authenticatedAtMs }),
    profile: profileOf(answer),
    claims: readClaims(answer.attributes),
    ...(acr === undefined || others.length > 0 ? {} : { acr }),
    beside: { NameID: subject, 'NameID Format': format, AuthnContextClassRef: contexts },
  };
}

type Requests = { getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string> };
type NodeSaml = { readonly SAML: new (options: Readonly<Record<string, unknown>>) => Requests };
const load = createRequire(import.meta.url);

/** How long the browser has for the redirect after the provider's form. */
export const answerSeconds = 60;

export function samlAddressesOf(appUrl: string, id: string) {
  const base = `${appUrl}/api/auth/${providerOfConnection(id)}`;
  return { acsUrl: `${base}/acs`, spEntityId: `${base}/metadata`, spMetadataUrl: `${base}/metadata` };
}

type Options = {
  readonly appUrl: string;
  readonly answers: FlowStore<ArrivedAnswer>;
  readonly nowMs: number;
};

export function configureSaml(
  { id, saml }: { readonly id: string; readonly saml: SamlSettings },
  { appUrl, answers, nowMs }: Options,
): ConfiguredProvider {
  const { acsUrl, spEntityId } = samlAddressesOf(appUrl, id);
  const name = providerOfConnection(id);
  return {
    callbacks: { platform: acsUrl, project: acsUrl },
    provider: {
      name,
      authorizationUrl({ state, codeVerifier }, maxAgeSeconds) {
        const { SAML } = load('@node-saml/node-saml') as NodeSaml;
        const requests = new SAML({
          entryPoint: saml.ssoUrl,
          issuer: spEntityId,
          callbackUrl: acsUrl,
          idpCert: [...saml.certificates],
          generateUniqueId: () => requestIdOf(codeVerifier),
          // The organization's provider chooses how people sign in, and which name it gives them.
          disableRequestedAuthnContext: true,
          identifierFormat: null,
          forceAuthn: maxAgeSeconds === 0,
        });
        return requests.getAuthorizeUrlAsync(state, undefined, {});
      },
      async identify(callback, attempt) {
        const key = callback.get('answer');
        const arrived = key === null ? undefined : await answers.take(key);
        if (arrived === undefined) throw refused('there is no answer of the provider');
        return identityOf(name, id, arrived, attempt, nowMs);
      },
    },
  };
}

/** Of this attempt alone (SAML Core 3.2.1: an NCName of enough entropy); none can be guessed. */
function requestIdOf(codeVerifier: string): string {
  return `_${digest(`request of ${codeVerifier}`)}`;
}

function identityOf(
  provider: string,
  connectionId: string,
  arrived: ArrivedAnswer,
  { codeVerifier }: Pick<Attempt, 'codeVerifier'>,
  nowMs: number,
): ProvenIdentity {
  if (arrived.connectionId !== connectionId) throw refused('the answer is for another connection');
  if ('refusal' in arrived) throw refused(arrived.refusal);
  const { answer } = arrived;
  // Of this browser's request, and of no other one: an answer that was stolen or replayed has none.
  if (answer.inResponseTo !== requestIdOf(codeVerifier)) throw refused('the answer is for another request');
  if (answer.endsAtMs <= nowMs - 60_000) throw refused('the answer is too old');
  const { authenticatedAtMs, acr } = answer;
  return {
    provider,
    ...answer.profile,
    claims: answer.claims,
    ...(acr === undefined ? {} : { acr }),
    said: { ...answer.beside, ...answer.claims },
    ...(authenticatedAtMs === undefined ? {} : { proofAgeSeconds: Math.max(0, Math.floor((nowMs - authenticatedAtMs) / 1_000)) }),
  };
}

function refused(reason: string): ProviderRefusal {
  return new ProviderRefusal(reason, causeInWords(reason));
}

const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
/** Names under which providers send an address, a whole name, and the parts of one. */
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const addressNames = ['email', 'mail', 'emailAddress', `${claims}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3', 'User.email'];
const wholeNames = [
  'displayName',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'name',
  'cn',
  'urn:oid:2.5.4.3',
];
const firstNames = ['firstName', 'givenName', `${claims}/givenname`, 'urn:oid:2.5.4.42', 'User.FirstName'];
const lastNames = ['lastName', 'sn', 'surname', `${claims}/surname`, 'urn:oid:2.5.4.4', 'User.LastName'];
const longestSubject = 255;

/** Who it is: NameID is the subject; the address is an attribute, or a NameID that is one. */
function profileOf({ subject, format, attributes }: SamlAnswer): Profile {
  if (subject.length > longestSubject) throw new SamlRefusal('NameID is longer than 255 characters');
  const first = (names: readonly string[]) => names.map((name) => attributes[name]?.[0] ?? '').find((value) => value !== '');
  const given = first(addressNames) ?? (format === emailFormat ? subject : '');
  // Case folding must not make another address of it, and some letters fold into ASCII.
  const email = /^[ -~]*$/.test(given) || !/^[ -~]*$/.test(normalizeAddress(given)) ? normalizeAddress(given) : '';
  const parts = [first(firstNames), first(lastNames)].filter((part) => part !== undefined);
  const name = toName(first(wholeNames) ?? parts.join(' '), 200);
  return {
    providerId: subject,
    name: name === '' ? null : name,
    email: isAddress(email) ? email : null,
    // The organization's provider is believed for the addresses of its proven domains.
    isEmailVerified: true,
  };
}

/** Ours, for the provider's administrator (SAML Metadata 2.0). */
export function serviceMetadata(appUrl: string, id: string): string {
  const { acsUrl, spEntityId } = samlAddressesOf(appUrl, id);
  const inXml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${inXml(spEntityId)}">`,
    '  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
    '    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>',
    `    <md:AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${inXml(acsUrl)}"/>`,
    '  </md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n');
}
