/**
 * Which fields an app of each type may have (OpenID Connect Dynamic Registration 1.0 section 2, RFC
 * 8252, RFC 9700).
 */
import { type AppType, choicesOf, type TypeRules } from '@tessera/rules/app-types';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { type RedirectUriFault, redirectUriFault } from './redirect-uri.ts';

type Client = Pick<
  ProjectApp,
  | ('type' | 'redirectUris' | 'scopes' | 'allowSignUp' | 'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri' | 'postLogoutRedirectUris')
  | ('backchannelLogoutUri' | 'grantTypes' | 'roleId' | 'isFirstParty' | 'requireSecondFactor' | 'requirePkce' | 'actsInGrants')
  | ('allowOrganizationSignUp' | 'dpopBoundAccessTokens' | 'idTokenSignedResponseAlg' | 'mayAct' | 'claims')
>;
export type ClientFault = { readonly field: string; readonly en: string; readonly de: string };

const untypedOnly = { en: 'is only for apps with a type', de: 'gilt nur für Anwendungen mit einem Typ' };
const machineOnly = { en: 'is only for apps of type machine', de: 'gilt nur für Anwendungen vom Typ machine' };
const notMachine = { en: 'is not for apps of type machine', de: 'gilt nicht für Anwendungen vom Typ machine' };

const defaultAlgorithm = 'RS256';

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== false && value !== defaultAlgorithm;
}

function setFields<Name extends keyof Client>(client: Client, names: readonly Name[], fault: Omit<ClientFault, 'field'>): ClientFault[] {
  return names.filter((name) => isSet(client[name])).map((field) => ({ field, ...fault }));
}

const openidFields = [
  ...(['tokenEndpointAuthMethod', 'jwks', 'jwksUri', 'postLogoutRedirectUris', 'backchannelLogoutUri'] as const),
  ...(['grantTypes', 'roleId', 'isFirstParty', 'requireSecondFactor', 'actsInGrants', 'allowOrganizationSignUp'] as const),
  ...(['dpopBoundAccessTokens', 'idTokenSignedResponseAlg', 'mayAct', 'claims'] as const),
];
const fieldsOfPeople = [
  ...(['redirectUris', 'scopes', 'allowSignUp', 'postLogoutRedirectUris', 'backchannelLogoutUri'] as const),
  ...(['isFirstParty', 'requireSecondFactor', 'allowOrganizationSignUp', 'idTokenSignedResponseAlg', 'claims'] as const),
];

/** Why an app cannot have these fields: the first fault; undefined when it can. */
export function clientFault(client: Client): ClientFault | undefined {
  const { type } = client;
  const faults =
    type === null
      ? [...setFields(client, openidFields, untypedOnly), ...pkceFaults(client), ...redirectFaults(client)]
      : [
          ...pkceFaults(client),
          ...methodFaults(client, choicesOf(type)),
          ...grantFaults(client, choicesOf(type)),
          ...keyFaults(client),
          ...signUpFaults(client),
          ...(type === 'machine'
            ? machineFaults(client)
            : [...setFields(client, ['roleId', 'actsInGrants'], machineOnly), ...redirectFaults(client)]),
        ];
  return faults[0];
}

/** A newcomer joins the project itself, or makes a customer of it. */
function signUpFaults({ allowSignUp, allowOrganizationSignUp }: Client): ClientFault[] {
  const fault = { en: 'cannot stand beside allowSignUp', de: 'kann nicht neben allowSignUp stehen' };
  return allowSignUp && allowOrganizationSignUp ? [{ field: 'allowOrganizationSignUp', ...fault }] : [];
}

function methodFaults({ tokenEndpointAuthMethod: method }: Client, { methods }: TypeRules): ClientFault[] {
  const names = methods.join(', ');
  const fault = { field: 'tokenEndpointAuthMethod', en: `must be one of: ${names}`, de: `muss eines davon sein: ${names}` };
  return method !== null && methods.includes(method) ? [] : [fault];
}

function grantFaults({ grantTypes }: Client, { grants }: TypeRules): ClientFault[] {
  const field = 'grantTypes';
  const names = grants.join(', ');
  const unknown = grantTypes.findIndex((grant) => !grants.includes(grant));
  if (unknown !== -1) return [{ field: `${field}.${unknown}`, en: `must be one of: ${names}`, de: `muss eines davon sein: ${names}` }];
  if (grantTypes.every((grant) => grant === 'refresh_token'))
    return [{ field, en: 'needs a grant that begins', de: 'braucht einen Grant, mit dem ein Ablauf beginnt' }];
  return [];
}

/** Exactly one set of keys, for an app that signs its requests (RFC 7523), and none for others. */
function keyFaults(client: Client): ClientFault[] {
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt')
    return setFields(client, ['jwks', 'jwksUri'], { en: 'is only for private_key_jwt', de: 'gilt nur für private_key_jwt' });
  if (client.jwks !== null && client.jwksUri !== null)
    return [{ field: 'jwksUri', en: 'cannot stand beside jwks', de: 'kann nicht neben jwks stehen' }];
  if (client.jwks === null && client.jwksUri === null)
    return [{ field: 'jwks', en: 'or jwksUri is required for private_key_jwt', de: 'oder jwksUri wird für private_key_jwt benötigt' }];
  return [];
}

/** An app without a secret is protected by PKCE alone (RFC 9700 section 2.1.1). */
function pkceFaults({ type, requirePkce }: Client): ClientFault[] {
  const fault = { en: 'can be false for apps of type web only', de: 'darf nur bei Anwendungen vom Typ web false sein' };
  return requirePkce || type === 'web' ? [] : [{ field: 'requirePkce', ...fault }];
}

function machineFaults(client: Client): ClientFault[] {
  const missing = client.roleId === null ? [{ field: 'roleId', en: 'is required for a machine app', de: 'wird benötigt' }] : [];
  return [...setFields(client, fieldsOfPeople, notMachine), ...missing];
}

function redirectFaults({ type, grantTypes, redirectUris }: Client): ClientFault[] {
  const isRedirected = type === null || grantTypes.includes('authorization_code');
  return isRedirected && redirectUris.length === 0
    ? [{ field: 'redirectUris', en: 'needs at least one address', de: 'braucht mindestens eine Adresse' }]
    : [];
}

/**
 * Why an app of this type cannot have a redirect URI. A private scheme belongs to an installed app:
 * a browser would give it to any program that claims it (RFC 8252 section 8.6).
 */
export function redirectFaultOf(type: AppType | null, address: string): RedirectUriFault | undefined {
  const fault = redirectUriFault(address);
  if (fault !== undefined || type === null || type === 'native') return fault;
  return /^https?:/i.test(address) ? undefined : 'scheme';
}
