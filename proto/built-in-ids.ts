/**
 * The ids of built-in rows, derived from their names (UUID v5, RFC 9562 section 5.5), so that
 * seeding can be repeated, and tenancy can invite the Owner of an organization that it makes.
 */
import { createHash } from 'node:crypto';

const namespace = Buffer.from('7c9e1f4b2d6a4e0b9f3c5a8d1e7b0c42', 'hex');

function nameToId(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function builtInRoleId(tenant: string, tenantId: string, role: string): string {
  return nameToId(`role:${tenant}:${tenantId}:${role}`);
}

export function builtInResourceId(slug: string): string {
  return nameToId(`resource:${slug}`);
}

export function ownerRoleId(organizationId: string): string {
  return builtInRoleId('organization', organizationId, 'Owner');
}
