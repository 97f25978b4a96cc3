import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import { builtInResources } from '../../domain/catalogue.ts';
import { slugFrom } from '../../domain/slug.ts';
import { listTakenSlugs } from '../../storage/resources.ts';

function conflict() {
  return failures.conflict('Resource', 'slug');
}

/** A given slug is taken as it is; one that means something built in conflicts like any other that exists. */
export function assertFreeOfBuiltIns(slug: string): string {
  if (Object.hasOwn(builtInResources, slug)) throw conflict();
  return slug;
}

/** Without a given one: from the name, with a suffix when taken. */
export async function chooseSlug(tx: Transaction, projectId: string, name: string): Promise<string> {
  const wanted = slugFrom(name);
  const taken = new Set(await listTakenSlugs(tx, projectId, wanted));
  for (let number = 2; ; number += 1) {
    const candidate = taken.has(wanted) ? `${wanted}-${number}` : wanted;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The project has the slug already: 409. */
export function refuseTakenSlug(error: unknown): never {
  throw isUniqueViolation(error, 'project_resources_slug') ? conflict() : error;
}
