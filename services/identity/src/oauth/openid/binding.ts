import type { Issuer } from './issuer.ts';

/** The cookie that binds an interaction to the browser. Each issuer has its own. */
export function bindingName({ key }: Pick<Issuer, 'key'>): string {
  return `openid_${key}`;
}
