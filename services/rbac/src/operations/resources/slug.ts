import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import { builtInResources } from '../../domain/catalogue.ts';
import { slugFrom } from '../../domain/slug.ts';
import { listTakenSlugs } from '../../storage/resources.ts';

function conflict() {
  return failures.conflict('Resource', 'slug');
}

/** 409 for the slug of a built-in resource. */
export function assertFreeOfBuiltIns(slug: string): string {
  if (Object.hasOwn(builtInResources, slug)) throw conflict();
  return slug;
}

/** Derives a slug from the name, with a suffix when it is taken. */
export async function chooseSlug(tx: Transaction, projectId: string, name: string): Promise<string> {
  const wanted = slugFrom(name);
  const taken = new Set(await listTakenSlugs(tx, projectId, wanted));
  for (let number = 2; ; number += 1) {
    const candidate = taken.has(wanted) ? `${wanted}-${number}` : wanted;
    if (!taken.has(candidate)) return candidate;
  }
}

/** 409 when the project has the slug already; rethrows other errors. */
export function refuseTakenSlug(error: unknown): never {
  throw isUniqueViolation(error, 'project_resources_slug') ? conflict() : error;
}
