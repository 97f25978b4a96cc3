/** What tenancy knows of a user: a read model of identity's, for lists and searches. */
export type Person = { readonly userId: string; readonly name: string; readonly email: string | null };
