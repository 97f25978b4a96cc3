import type { GatewayConfig } from '../config.ts';

/**
 * One of the specification's three layers, the one of machine credentials, those of apps that act
 * for people, or the one of public documents.
 */
export type Layer = {
  readonly name: 'global' | 'auth' | 'tenant' | 'credential' | 'agent' | 'agent-person' | 'public';
  readonly max: number;
  readonly windowSeconds: number;
  /** The RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
};

export type Layers = {
  readonly global: Layer;
  readonly auth: Layer;
  /**
   * Key sets, discovery and the files of the pages: verifiers and browsers must get them, however
   * many other requests come from their address.
   */
  readonly public: Layer;
  readonly tenant: Layer | undefined;
  /** Counts keys and apps by themselves, in place of `global`. */
  readonly credential: Layer | undefined;
  /** Count an app that acts for people beside the others: for all people, and for each. */
  readonly agent: Layer | undefined;
  readonly agentOfPerson: Layer | undefined;
};

export function createLayer(name: Layer['name'], max: number, windowSeconds: number): Layer {
  return {
    name,
    max,
    windowSeconds,
    policy: `"${name}";q=${max};w=${windowSeconds}`,
  };
}

/** Verifiers read key sets anew every few minutes, and one page is a dozen files. */
const publicFactor = 10;

export function layersOf(config: GatewayConfig): Layers {
  const windowSeconds = config.SECURITY_RATE_LIMIT_WINDOW_MINUTES * 60;
  const optional = (name: Layer['name'], max: number | undefined) =>
    max === undefined ? undefined : createLayer(name, max, windowSeconds);
  return {
    public: createLayer('public', config.SECURITY_RATE_LIMIT_MAX * publicFactor, windowSeconds),
    global: createLayer('global', config.SECURITY_RATE_LIMIT_MAX, windowSeconds),
    auth: createLayer('auth', config.SECURITY_RATE_LIMIT_AUTH_MAX, config.SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES * 60),
    tenant: config.SECURITY_RATE_LIMIT_PER_TENANT_ENABLED
      ? createLayer('tenant', config.SECURITY_RATE_LIMIT_PER_TENANT_MAX, config.SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES * 60)
      : undefined,
    credential: optional('credential', config.SECURITY_RATE_LIMIT_CREDENTIAL_MAX),
    agent: optional('agent', config.SECURITY_RATE_LIMIT_AGENT_MAX),
    agentOfPerson: optional('agent-person', config.SECURITY_RATE_LIMIT_AGENT_PERSON_MAX),
  };
}
