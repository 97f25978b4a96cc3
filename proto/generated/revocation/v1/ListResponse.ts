// Original file: revocation/v1/service.proto

import type { Revocation__Input as _revocation_v1_Revocation__Input, Revocation as _revocation_v1_Revocation } from '../../revocation/v1/Revocation.ts';
import type { ScopeRevocation__Input as _revocation_v1_ScopeRevocation__Input, ScopeRevocation as _revocation_v1_ScopeRevocation } from '../../revocation/v1/ScopeRevocation.ts';

export interface ListResponse__Input {
  'revocations'?: (_revocation_v1_Revocation__Input)[];
  'cursor'?: (string);
  'scopes'?: (_revocation_v1_ScopeRevocation__Input)[];
}

export interface ListResponse {
  'revocations': (_revocation_v1_Revocation)[];
  'cursor': (string);
  'scopes': (_revocation_v1_ScopeRevocation)[];
}
