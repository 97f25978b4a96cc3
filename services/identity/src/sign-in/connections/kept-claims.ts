/**
 * What is kept of a sign-in for the preview of a role mapping: claims that may say what a person
 * does, without who the person is (decision 41).
 */
import type { KeptClaim, MappedRole } from '../../ground/domain/connection.ts';
import { ofProtocol, secretName, tokenShape } from './came.ts';
import type { Claims, ProvenIdentity } from './provider.ts';

/** Of the row in the database, whose limit is 4,096. */
const mostBytes = 4_000;
const longestName = 200;

/** Standard claims of OpenID Connect (Core 5.1), and their kin at Entra and in SAML. */
const ofProfile = new Set(
  [
    'sub name given_name family_name middle_name nickname preferred_username profile picture website',
    'email email_verified gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at',
    'oid upn unique_name ipaddr puid altsecid onprem_sid verified_primary_email verified_secondary_email',
    'displayname cn givenname firstname sn surname lastname mail emailaddress uid employeenumber employeeid',
    'telephonenumber mobile mobilephone user.email user.firstname user.lastname user.displayname',
    'urn:oid:0.9.2342.19200300.100.1.1 urn:oid:0.9.2342.19200300.100.1.3 urn:oid:2.5.4.3 urn:oid:2.5.4.4',
    'urn:oid:2.5.4.20 urn:oid:2.5.4.42 urn:oid:2.16.840.1.113730.3.1.241 urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'http://schemas.microsoft.com/identity/claims/displayname http://schemas.microsoft.com/identity/claims/objectidentifier',
    'iss aud azp exp iat nbf auth_time',
  ].flatMap((names) => names.split(' ')),
);
/** Of the person (name, address, phone); roles and groups are elsewhere. */
const personalPrefix = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';

type Said = Pick<ProvenIdentity, 'providerId' | 'name' | 'email'> & { readonly claims?: Claims };

/**
 * At most 4 kB: what is mapped now comes first, then the short claims. A value that names the
 * person is left out, and what is or looks like a credential.
 */
export function keptClaimsOf({ claims = {}, providerId, name, email }: Said, mapping: readonly MappedRole[]): KeptClaim[] {
  const ofPerson = new Set([providerId, name, email].map((value) => value?.toLowerCase()));
  const isKept = (value: string) =>
    !ofPerson.has(value.toLowerCase()) && value.isWellFormed() && !value.includes('\0') && value.replace(tokenShape, '') === value;
  const told = Object.entries(claims).flatMap(([claim, all]) => {
    const values = isPersonal(claim) ? [] : all.filter(isKept);
    const mapped = new Set(mapping.flatMap((one) => (one.claim === claim ? [one.value] : [])));
    const ordered = [...values.filter((value) => mapped.has(value)), ...values.filter((value) => !mapped.has(value))];
    return values.length === 0 ? [] : [{ claim, values: ordered, isMapped: mapped.size > 0, bytes: bytesOf(claim, ordered) }];
  });
  const kept: KeptClaim[] = [];
  let left = mostBytes;
  for (const { claim, values } of told.toSorted((a, b) => Number(b.isMapped) - Number(a.isMapped) || a.bytes - b.bytes)) {
    const fitting = fit(claim, values, left);
    if (fitting.length === 0) continue;
    left -= bytesOf(claim, fitting);
    kept.push({ name: claim, values: fitting, isCut: fitting.length < values.length });
  }
  return kept;
}

function isPersonal(claim: string): boolean {
  const name = claim.toLowerCase();
  const isUnfit = claim.length > longestName || !claim.isWellFormed() || claim.includes('\0');
  return isUnfit || ofProfile.has(name) || ofProtocol.has(name) || name.startsWith(personalPrefix) || secretName.test(name);
}

function fit(claim: string, values: readonly string[], bytes: number): string[] {
  const fitting: string[] = [];
  let left = bytes - bytesOf(claim, []);
  for (const value of values) {
    left -= bytesOf('', [value]) - bytesOf('', []);
    if (left < 0) break;
    fitting.push(value);
  }
  return fitting;
}

/** In the text of the row: with its signs and spaces. */
function bytesOf(claim: string, values: readonly string[]): number {
  const texts = values.reduce((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)) + 2, 0);
  return 50 + Buffer.byteLength(JSON.stringify(claim)) + texts;
}
