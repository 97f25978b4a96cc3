/** One change that a client of the last release may not survive. */
export type Break = {
  /** CHANGELOG.md names it in backticks: `DELETE /api/roles/{id}`, `Role.name`, `createClient`. */
  readonly subject: string;
  readonly what: string;
};
