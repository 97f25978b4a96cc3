/** A user, as identity knows them. */
export type Person = {
  readonly id: string;
  readonly name: string;
  readonly pictureUrl: string | null;
  readonly metadata: unknown;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
};
