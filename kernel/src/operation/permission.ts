/** A resource's slug and one of its actions: 'Role:Create'. */
export type Permission = `${string}:${string}`;

/** The permission that the pipeline has checked, and the target that it was checked for. */
export type Authorized = { readonly permission: Permission; readonly target: Readonly<Record<string, unknown>> };
