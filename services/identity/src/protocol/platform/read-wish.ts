import { failures } from '@tessera/kernel/errors';
import { defaultLanding, type Landing, readLanding } from '../../domain/oauth/landing.ts';
import type { ProtocolContext } from '../context.ts';
import type { Action } from '../flow.ts';
import { oneOf, parameter, refuseUnknown } from '../parameters.ts';

export type Wish = { readonly action: Action; readonly landing: Landing; readonly accountType: 'personal' | 'organization' };

/** What the browser was sent here for. Nothing is redirected before the landing is known to be ours or a loopback address. */
export function readWish({ query, deps }: ProtocolContext): Wish {
  refuseUnknown(query, ['action', 'redirect', 'accountType']);
  const action = oneOf(query, 'action', ['login', 'register', 'connect']);
  const accountType = oneOf(query, 'accountType', ['personal', 'organization']);
  const { frontendUrl } = deps.settings;
  const redirect = parameter(query, 'redirect');
  const landing = redirect === undefined ? defaultLanding(frontendUrl) : readLanding(redirect, frontendUrl);
  if (landing === undefined) throw failures.validation('redirect', 'a page of the frontend or a loopback address');
  return { action, landing, accountType };
}
