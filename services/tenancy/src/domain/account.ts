export const accountTypes = ['personal', 'organization'] as const;
export type AccountType = (typeof accountTypes)[number];

export type Account = {
  id: string;
  type: AccountType;
  ownerId: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};
