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

export function isAccountType(text: string): text is AccountType {
  return (accountTypes as readonly string[]).includes(text);
}
