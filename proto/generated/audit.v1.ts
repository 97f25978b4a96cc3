// Generated from */v*/*.proto by `npm run generate`. Do not edit.
import type { Message } from '../message.ts';
import type { ListRequest as _ListRequest } from './audit/v1/ListRequest.ts';
export type ListRequest = Message<_ListRequest>;
import type { ListResponse as _ListResponse } from './audit/v1/ListResponse.ts';
export type ListResponse = Message<_ListResponse>;
