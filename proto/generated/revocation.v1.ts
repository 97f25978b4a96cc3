// Generated from */v*/*.proto by `npm run generate`. Do not edit.
import type { Message } from '../message.ts';
import type { ListRequest as _ListRequest } from './revocation/v1/ListRequest.ts';
export type ListRequest = Message<_ListRequest>;
import type { ListResponse as _ListResponse } from './revocation/v1/ListResponse.ts';
export type ListResponse = Message<_ListResponse>;
import type { Revocation as _Revocation } from './revocation/v1/Revocation.ts';
export type Revocation = Message<_Revocation>;
import type { ScopeRevocation as _ScopeRevocation } from './revocation/v1/ScopeRevocation.ts';
export type ScopeRevocation = Message<_ScopeRevocation>;
