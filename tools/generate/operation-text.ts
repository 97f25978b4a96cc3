/** What the declaration of an operation says, as sentences for OpenAPI and GraphQL. */
import type { Operation } from '@tessera/kernel/operation';

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?*]$/.test(text) ? '' : '.'}`;
}

/** Who may call the operation. */
export function accessText<Deps>(access: Operation<Deps>['access']): string {
  if ('permission' in access) return `Needs the permission \`${access.permission}\` in the scope.`;
  if ('signedIn' in access) return `Needs a token, of: ${(access.tokens ?? ['session']).join(', ')}. ${sentence(access.signedIn)}`;
  return 'optional' in access ? `A token is optional: ${access.optional}.` : `Needs no token: ${access.open}.`;
}
