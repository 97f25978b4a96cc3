/** Tenancy's copy of a user of identity, for lists and searches. */
export type Person = { readonly userId: string; readonly name: string; readonly email: string | null };
