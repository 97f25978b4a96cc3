// Generated from */v*/*.proto by `npm run generate`. Do not edit.
import type { Message } from '../message.ts';
import type { GetVerificationKeyRequest as _GetVerificationKeyRequest } from './keys/v1/GetVerificationKeyRequest.ts';
export type GetVerificationKeyRequest = Message<_GetVerificationKeyRequest>;
import type { SignManyRequest as _SignManyRequest } from './keys/v1/SignManyRequest.ts';
export type SignManyRequest = Message<_SignManyRequest>;
import type { SignManyResponse as _SignManyResponse } from './keys/v1/SignManyResponse.ts';
export type SignManyResponse = Message<_SignManyResponse>;
import type { SignRequest as _SignRequest } from './keys/v1/SignRequest.ts';
export type SignRequest = Message<_SignRequest>;
import type { SignResponse as _SignResponse } from './keys/v1/SignResponse.ts';
export type SignResponse = Message<_SignResponse>;
import type { SigningScope as _SigningScope } from './keys/v1/SigningScope.ts';
export type SigningScope = Message<_SigningScope>;
import type { VerificationKey as _VerificationKey } from './keys/v1/VerificationKey.ts';
export type VerificationKey = Message<_VerificationKey>;
