import type { Scope } from '@tessera/kernel/scope';

export type Project = {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};

/** The account or organization that contains a project. */
export type ProjectParent = { readonly tenant: 'account' | 'organization'; readonly id: string };

/** The scope of a project: its id is `<parent>:<project>`. */
export function projectScope({ tenant, id }: ProjectParent, projectId: string): Scope {
  return { tenant: tenant === 'account' ? 'accountProject' : 'organizationProject', id: `${id}:${projectId}` };
}
