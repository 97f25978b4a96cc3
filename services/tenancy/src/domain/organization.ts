/** What an organization demands of the sessions that work in it. */
export type Security = {
  readonly requireSecondFactor: boolean;
  readonly maxSessionAgeMinutes: number | null;
  /** Whether codes by mail are a way to sign in to its apps. */
  readonly allowEmailCode: boolean;
};

export const unsecured: Security = { requireSecondFactor: false, maxSessionAgeMinutes: null, allowEmailCode: true };

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
