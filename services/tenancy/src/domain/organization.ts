export type Organization = {
  id: string;
  name: string;
  slug: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};
