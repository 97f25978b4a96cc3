export type { ApiKeyCredentials, ClientOptions, Input, Item, Methods, Output, SignInStart, TesseraClient } from './client.ts';
export { createClient, isPlainHttp } from './client.ts';
export { createDpopKey, type DpopKey, type DpopRequest } from './dpop.ts';
export { type ClientErrorCode, TesseraError } from './errors.ts';
export type { TesseraErrorKey } from './generated/error-keys.ts';
export type { ErrorCode, Operations } from './generated/types.ts';
export type { PagePromise } from './pages.ts';
export type { CallOptions, OperationName } from './requests.ts';
export type { Session, SessionState, Tokens } from './session.ts';
