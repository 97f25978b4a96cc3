/** The opaque token that a write answers: which tenant it changed, and its version afterwards. */
export type Consistency = { readonly tenant: string; readonly id: string; readonly version: number };

export const encodeConsistency = ({ tenant, id, version }: Consistency): string =>
  Buffer.from(`${tenant} ${id} ${version}`, 'utf8').toString('base64url');

/** Undefined for anything that is no such token: it then demands nothing. */
export const decodeConsistency = (token: string): Consistency | undefined => {
  if (token.length > 200) return undefined;
  const [tenant, id, version, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split(' ');
  const number = Number(version);
  if (tenant === undefined || id === undefined || rest.length > 0 || !Number.isSafeInteger(number)) return undefined;
  return { tenant, id, version: number };
};
