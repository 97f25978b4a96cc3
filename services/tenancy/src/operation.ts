import { defineOperation } from '@tessera/kernel/operation';
import type { TenancyDeps } from './deps.ts';

/** Declares one operation of this service. */
export const operation = defineOperation<TenancyDeps>();
