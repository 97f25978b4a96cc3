// Original file: identity/v1/service.proto

import type { AgentRequests__Input as _identity_v1_AgentRequests__Input, AgentRequests as _identity_v1_AgentRequests } from '../../identity/v1/AgentRequests.ts';

export interface CountAgentRequestsRequest__Input {
  'counts'?: (_identity_v1_AgentRequests__Input)[];
}

export interface CountAgentRequestsRequest {
  'counts': (_identity_v1_AgentRequests)[];
}
