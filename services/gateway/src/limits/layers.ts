import type { GatewayConfig } from '../config.ts';

/** One of the specification's three layers, or the one of machine credentials. */
export type Layer = {
  readonly name: 'global' | 'auth' | 'tenant' | 'credential';
  readonly max: number;
  readonly windowSeconds: number;
  /** The RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
};

export type Layers = {
  readonly global: Layer;
  readonly auth: Layer;
  readonly tenant: Layer | undefined;
  /** Counts keys and apps by themselves, in place of `global`. */
  readonly credential: Layer | undefined;
};

export function createLayer(name: Layer['name'], max: number, windowSeconds: number): Layer {
  return {
    ...{ name, max, windowSeconds },
    policy: `"${name}";q=${max};w=${windowSeconds}`,
  };
}

export function layersOf(config: GatewayConfig): Layers {
  return {
    global: createLayer('global', config.SECURITY_RATE_LIMIT_MAX, config.SECURITY_RATE_LIMIT_WINDOW_MINUTES * 60),
    auth: createLayer('auth', config.SECURITY_RATE_LIMIT_AUTH_MAX, config.SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES * 60),
    tenant: config.SECURITY_RATE_LIMIT_PER_TENANT_ENABLED
      ? createLayer('tenant', config.SECURITY_RATE_LIMIT_PER_TENANT_MAX, config.SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES * 60)
      : undefined,
    credential:
      config.SECURITY_RATE_LIMIT_CREDENTIAL_MAX === undefined
        ? undefined
        : createLayer('credential', config.SECURITY_RATE_LIMIT_CREDENTIAL_MAX, config.SECURITY_RATE_LIMIT_WINDOW_MINUTES * 60),
  };
}
