/** A resource's slug and one of its actions: 'Role:Create'. */
export type Permission = `${string}:${string}`;
