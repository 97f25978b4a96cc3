/** The identifiers by which clients name the APIs of a project (RFC 8707). */
import { failures } from '@tessera/kernel/errors';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { resourceTable } from '../../storage/entity-tables.ts';
import { listAll } from '../../storage/scoped-entity.ts';

/**
 * RFC 8707 section 2: an absolute URI without a fragment. Never at the platform's own address: a
 * token for such a resource would say that it is for the platform.
 */
export function assertIdentifier(identifier: string | null | undefined, { appUrl }: Pick<RbacDeps, 'appUrl'>): void {
  if (identifier === null || identifier === undefined) return;
  const url = /[\s\\\p{C}]/u.test(identifier) ? null : URL.parse(identifier);
  if (url === null || identifier.includes('#') || url.username !== '' || url.password !== '')
    throw failures.validation('identifier', {
      en: 'must be an absolute URI without a fragment',
      de: 'muss eine absolute URI ohne Fragment sein',
    });
  if (url.host !== '' && url.host === new URL(appUrl).host)
    throw failures.validation('identifier', {
      en: "must not be at this platform's own address",
      de: 'darf nicht unter der Adresse dieser Plattform liegen',
    });
}

type ResourceServer = { readonly identifier: string; readonly slugs: string[] };

/** `https://api.example.com` and `https://api.example.com/` are the same address. */
export async function findResourceServer({ database }: RbacDeps, scope: ParsedScope, identifier: string): Promise<ResourceServer> {
  const asked = URL.parse(identifier)?.href;
  const resources = await database.scoped(scope, (tx) => listAll(tx, resourceTable, scope), { readOnly: true });
  const served = resources.filter((one) => one.isActive && one.identifier !== null && URL.parse(one.identifier)?.href === asked);
  const [first] = served;
  if (asked === undefined || first === undefined) return { identifier: '', slugs: [] };
  const isExact = served.some((one) => one.identifier === identifier);
  return { identifier: isExact ? identifier : (first.identifier ?? ''), slugs: served.map(({ slug }) => slug) };
}
