// Original file: keys/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CountApiKeysRequest__Input as _keys_v1_CountApiKeysRequest__Input, CountApiKeysRequest as _keys_v1_CountApiKeysRequest } from '../../keys/v1/CountApiKeysRequest.ts';
import type { CountApiKeysResponse__Input as _keys_v1_CountApiKeysResponse__Input, CountApiKeysResponse as _keys_v1_CountApiKeysResponse } from '../../keys/v1/CountApiKeysResponse.ts';
import type { FindLiveApiKeysRequest__Input as _keys_v1_FindLiveApiKeysRequest__Input, FindLiveApiKeysRequest as _keys_v1_FindLiveApiKeysRequest } from '../../keys/v1/FindLiveApiKeysRequest.ts';
import type { FindLiveApiKeysResponse__Input as _keys_v1_FindLiveApiKeysResponse__Input, FindLiveApiKeysResponse as _keys_v1_FindLiveApiKeysResponse } from '../../keys/v1/FindLiveApiKeysResponse.ts';
import type { GetVerificationKeyRequest__Input as _keys_v1_GetVerificationKeyRequest__Input, GetVerificationKeyRequest as _keys_v1_GetVerificationKeyRequest } from '../../keys/v1/GetVerificationKeyRequest.ts';
import type { GetVerificationKeysRequest__Input as _keys_v1_GetVerificationKeysRequest__Input, GetVerificationKeysRequest as _keys_v1_GetVerificationKeysRequest } from '../../keys/v1/GetVerificationKeysRequest.ts';
import type { ListKeySubjectsRequest__Input as _keys_v1_ListKeySubjectsRequest__Input, ListKeySubjectsRequest as _keys_v1_ListKeySubjectsRequest } from '../../keys/v1/ListKeySubjectsRequest.ts';
import type { ListKeySubjectsResponse__Input as _keys_v1_ListKeySubjectsResponse__Input, ListKeySubjectsResponse as _keys_v1_ListKeySubjectsResponse } from '../../keys/v1/ListKeySubjectsResponse.ts';
import type { ListPublishedKeysRequest__Input as _keys_v1_ListPublishedKeysRequest__Input, ListPublishedKeysRequest as _keys_v1_ListPublishedKeysRequest } from '../../keys/v1/ListPublishedKeysRequest.ts';
import type { SignIdTokenRequest__Input as _keys_v1_SignIdTokenRequest__Input, SignIdTokenRequest as _keys_v1_SignIdTokenRequest } from '../../keys/v1/SignIdTokenRequest.ts';
import type { SignIdTokenResponse__Input as _keys_v1_SignIdTokenResponse__Input, SignIdTokenResponse as _keys_v1_SignIdTokenResponse } from '../../keys/v1/SignIdTokenResponse.ts';
import type { SignManyRequest__Input as _keys_v1_SignManyRequest__Input, SignManyRequest as _keys_v1_SignManyRequest } from '../../keys/v1/SignManyRequest.ts';
import type { SignManyResponse__Input as _keys_v1_SignManyResponse__Input, SignManyResponse as _keys_v1_SignManyResponse } from '../../keys/v1/SignManyResponse.ts';
import type { SignRequest__Input as _keys_v1_SignRequest__Input, SignRequest as _keys_v1_SignRequest } from '../../keys/v1/SignRequest.ts';
import type { SignResponse__Input as _keys_v1_SignResponse__Input, SignResponse as _keys_v1_SignResponse } from '../../keys/v1/SignResponse.ts';
import type { VerificationKey__Input as _keys_v1_VerificationKey__Input, VerificationKey as _keys_v1_VerificationKey } from '../../keys/v1/VerificationKey.ts';
import type { VerificationKeys__Input as _keys_v1_VerificationKeys__Input, VerificationKeys as _keys_v1_VerificationKeys } from '../../keys/v1/VerificationKeys.ts';

export interface KeysClient extends grpc.Client {
  /**
   * How many API keys these projects have that are not deleted: for the record of the projects' deletion.
   */
  CountApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  CountApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  CountApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  CountApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  /**
   * How many API keys these projects have that are not deleted: for the record of the projects' deletion.
   */
  countApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  countApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  countApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  countApiKeys(argument: _keys_v1_CountApiKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_CountApiKeysResponse>): grpc.ClientUnaryCall;
  
  /**
   * Those of these API keys that could be exchanged now: each is there, and so is who made it, with the right to.
   */
  FindLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  FindLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  FindLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  FindLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  /**
   * Those of these API keys that could be exchanged now: each is there, and so is who made it, with the right to.
   */
  findLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  findLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  findLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  findLiveApiKeys(argument: _keys_v1_FindLiveApiKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_FindLiveApiKeysResponse>): grpc.ClientUnaryCall;
  
  /**
   * The public key of a kid, with the issuer it signs for. Not found for unknown or compromised kids.
   */
  GetVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  GetVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  GetVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  GetVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  /**
   * The public key of a kid, with the issuer it signs for. Not found for unknown or compromised kids.
   */
  getVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  getVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  getVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  getVerificationKey(argument: _keys_v1_GetVerificationKeyRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKey>): grpc.ClientUnaryCall;
  
  /**
   * The same for many kids, without those that are not found. At most 1,000 kids.
   */
  GetVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  GetVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  GetVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  GetVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  /**
   * The same for many kids, without those that are not found. At most 1,000 kids.
   */
  getVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  getVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  getVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  getVerificationKeys(argument: _keys_v1_GetVerificationKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  
  /**
   * The API keys of a project that are neither revoked nor expired nor deleted, by id: as whom each of them acts.
   */
  ListKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  ListKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  ListKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  ListKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  /**
   * The API keys of a project that are neither revoked nor expired nor deleted, by id: as whom each of them acts.
   */
  listKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  listKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  listKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  listKeySubjects(argument: _keys_v1_ListKeySubjectsRequest__Input, callback: grpc.requestCallback<_keys_v1_ListKeySubjectsResponse>): grpc.ClientUnaryCall;
  
  /**
   * The keys in the JWKS of a signing scope, the active one first, each of a project with its ES256 half. Makes a project's first keys, as Sign does.
   */
  ListPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  ListPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  ListPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  ListPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  /**
   * The keys in the JWKS of a signing scope, the active one first, each of a project with its ES256 half. Makes a project's first keys, as Sign does.
   */
  listPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  listPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  listPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  listPublishedKeys(argument: _keys_v1_ListPublishedKeysRequest__Input, callback: grpc.requestCallback<_keys_v1_VerificationKeys>): grpc.ClientUnaryCall;
  
  /**
   * Signs a token with the active key of the signing scope; iss, iat, kid and (for the system scope) aud are set here.
   * A projectApp's token may lie in the scope of an organization that uses the project: scope is the project's own (it names the issuer), and
   * claims_json.scope the customer's <customer>:<project>:<user>. FORBIDDEN with the reason grant_suspended or grant_ended when it may not.
   * Idempotent although it makes a project's first keys: they are made under a lock, and a second call finds them.
   */
  Sign(argument: _keys_v1_SignRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  Sign(argument: _keys_v1_SignRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  Sign(argument: _keys_v1_SignRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  Sign(argument: _keys_v1_SignRequest__Input, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  /**
   * Signs a token with the active key of the signing scope; iss, iat, kid and (for the system scope) aud are set here.
   * A projectApp's token may lie in the scope of an organization that uses the project: scope is the project's own (it names the issuer), and
   * claims_json.scope the customer's <customer>:<project>:<user>. FORBIDDEN with the reason grant_suspended or grant_ended when it may not.
   * Idempotent although it makes a project's first keys: they are made under a lock, and a second call finds them.
   */
  sign(argument: _keys_v1_SignRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  sign(argument: _keys_v1_SignRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  sign(argument: _keys_v1_SignRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  sign(argument: _keys_v1_SignRequest__Input, callback: grpc.requestCallback<_keys_v1_SignResponse>): grpc.ClientUnaryCall;
  
  /**
   * Signs an ID token or a logout token of OpenID Connect (RS256, in a project also ES256), and nothing else: never a token that opens the API.
   */
  SignIdToken(argument: _keys_v1_SignIdTokenRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  SignIdToken(argument: _keys_v1_SignIdTokenRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  SignIdToken(argument: _keys_v1_SignIdTokenRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  SignIdToken(argument: _keys_v1_SignIdTokenRequest__Input, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  /**
   * Signs an ID token or a logout token of OpenID Connect (RS256, in a project also ES256), and nothing else: never a token that opens the API.
   */
  signIdToken(argument: _keys_v1_SignIdTokenRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  signIdToken(argument: _keys_v1_SignIdTokenRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  signIdToken(argument: _keys_v1_SignIdTokenRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  signIdToken(argument: _keys_v1_SignIdTokenRequest__Input, callback: grpc.requestCallback<_keys_v1_SignIdTokenResponse>): grpc.ClientUnaryCall;
  
  SignMany(argument: _keys_v1_SignManyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  SignMany(argument: _keys_v1_SignManyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  SignMany(argument: _keys_v1_SignManyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  SignMany(argument: _keys_v1_SignManyRequest__Input, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  signMany(argument: _keys_v1_SignManyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  signMany(argument: _keys_v1_SignManyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  signMany(argument: _keys_v1_SignManyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  signMany(argument: _keys_v1_SignManyRequest__Input, callback: grpc.requestCallback<_keys_v1_SignManyResponse>): grpc.ClientUnaryCall;
  
}

export interface KeysHandlers extends grpc.UntypedServiceImplementation {
  /**
   * How many API keys these projects have that are not deleted: for the record of the projects' deletion.
   */
  CountApiKeys: grpc.handleUnaryCall<_keys_v1_CountApiKeysRequest, _keys_v1_CountApiKeysResponse__Input>;
  
  /**
   * Those of these API keys that could be exchanged now: each is there, and so is who made it, with the right to.
   */
  FindLiveApiKeys: grpc.handleUnaryCall<_keys_v1_FindLiveApiKeysRequest, _keys_v1_FindLiveApiKeysResponse__Input>;
  
  /**
   * The public key of a kid, with the issuer it signs for. Not found for unknown or compromised kids.
   */
  GetVerificationKey: grpc.handleUnaryCall<_keys_v1_GetVerificationKeyRequest, _keys_v1_VerificationKey__Input>;
  
  /**
   * The same for many kids, without those that are not found. At most 1,000 kids.
   */
  GetVerificationKeys: grpc.handleUnaryCall<_keys_v1_GetVerificationKeysRequest, _keys_v1_VerificationKeys__Input>;
  
  /**
   * The API keys of a project that are neither revoked nor expired nor deleted, by id: as whom each of them acts.
   */
  ListKeySubjects: grpc.handleUnaryCall<_keys_v1_ListKeySubjectsRequest, _keys_v1_ListKeySubjectsResponse__Input>;
  
  /**
   * The keys in the JWKS of a signing scope, the active one first, each of a project with its ES256 half. Makes a project's first keys, as Sign does.
   */
  ListPublishedKeys: grpc.handleUnaryCall<_keys_v1_ListPublishedKeysRequest, _keys_v1_VerificationKeys__Input>;
  
  /**
   * Signs a token with the active key of the signing scope; iss, iat, kid and (for the system scope) aud are set here.
   * A projectApp's token may lie in the scope of an organization that uses the project: scope is the project's own (it names the issuer), and
   * claims_json.scope the customer's <customer>:<project>:<user>. FORBIDDEN with the reason grant_suspended or grant_ended when it may not.
   * Idempotent although it makes a project's first keys: they are made under a lock, and a second call finds them.
   */
  Sign: grpc.handleUnaryCall<_keys_v1_SignRequest, _keys_v1_SignResponse__Input>;
  
  /**
   * Signs an ID token or a logout token of OpenID Connect (RS256, in a project also ES256), and nothing else: never a token that opens the API.
   */
  SignIdToken: grpc.handleUnaryCall<_keys_v1_SignIdTokenRequest, _keys_v1_SignIdTokenResponse__Input>;
  
  SignMany: grpc.handleUnaryCall<_keys_v1_SignManyRequest, _keys_v1_SignManyResponse__Input>;
  
}

export interface KeysDefinition extends grpc.ServiceDefinition {
  CountApiKeys: MethodDefinition<_keys_v1_CountApiKeysRequest__Input, _keys_v1_CountApiKeysResponse__Input, _keys_v1_CountApiKeysRequest, _keys_v1_CountApiKeysResponse>
  FindLiveApiKeys: MethodDefinition<_keys_v1_FindLiveApiKeysRequest__Input, _keys_v1_FindLiveApiKeysResponse__Input, _keys_v1_FindLiveApiKeysRequest, _keys_v1_FindLiveApiKeysResponse>
  GetVerificationKey: MethodDefinition<_keys_v1_GetVerificationKeyRequest__Input, _keys_v1_VerificationKey__Input, _keys_v1_GetVerificationKeyRequest, _keys_v1_VerificationKey>
  GetVerificationKeys: MethodDefinition<_keys_v1_GetVerificationKeysRequest__Input, _keys_v1_VerificationKeys__Input, _keys_v1_GetVerificationKeysRequest, _keys_v1_VerificationKeys>
  ListKeySubjects: MethodDefinition<_keys_v1_ListKeySubjectsRequest__Input, _keys_v1_ListKeySubjectsResponse__Input, _keys_v1_ListKeySubjectsRequest, _keys_v1_ListKeySubjectsResponse>
  ListPublishedKeys: MethodDefinition<_keys_v1_ListPublishedKeysRequest__Input, _keys_v1_VerificationKeys__Input, _keys_v1_ListPublishedKeysRequest, _keys_v1_VerificationKeys>
  Sign: MethodDefinition<_keys_v1_SignRequest__Input, _keys_v1_SignResponse__Input, _keys_v1_SignRequest, _keys_v1_SignResponse>
  SignIdToken: MethodDefinition<_keys_v1_SignIdTokenRequest__Input, _keys_v1_SignIdTokenResponse__Input, _keys_v1_SignIdTokenRequest, _keys_v1_SignIdTokenResponse>
  SignMany: MethodDefinition<_keys_v1_SignManyRequest__Input, _keys_v1_SignManyResponse__Input, _keys_v1_SignManyRequest, _keys_v1_SignManyResponse>
}
