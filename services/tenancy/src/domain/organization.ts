/** What an organization demands of the sessions that work in it. */
export type Security = { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes: number | null };

export const unsecured: Security = { requireSecondFactor: false, maxSessionAgeMinutes: null };

export type Organization = {
  id: string;
  name: string;
  slug: string;
  metadata: Record<string, unknown>;
  security: Security;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};
