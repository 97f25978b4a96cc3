import type { GrpcClient } from '@tessera/kernel/grpc';
import { defineOperation } from '@tessera/kernel/operation';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import type Provider from 'oidc-provider';
import type * as ground from '../ground/context.ts';
import type { Checks } from '../ground/peers/checks.ts';
import type { SignInDeps } from '../sign-in/deps.ts';
import type { DocumentReader } from './document-reader.ts';
import type { OuterKeys } from './outer-keys.ts';
import type { PlatformClient } from './platform-clients.ts';

export type OauthDeps = SignInDeps & {
  readonly accessTokenSeconds: number;
  readonly sign: (request: SignRequest) => Promise<{ readonly token: string; readonly expiresAt: number }>;
  readonly permissions: Pick<GrpcClient<'rbac.v1.Authorization'>, 'listPermissions'>;
  /** What apps did last is in the logs of all services. */
  readonly auditLogs: readonly Pick<GrpcClient<'audit.v1.AuditLog'>, 'list'>[];
  /** Whether machine apps may act: shared between requests. */
  readonly checks: Checks;
  /** The page where a person enters the address for a magic link. */
  readonly emailEntryUrl: string;
  /** Keys by which service accounts and the issuers that they trust sign. */
  readonly outerKeys: OuterKeys;
  /** Documents by which clients are known. */
  readonly documentReader: DocumentReader;
  /** The clients of the platform's own issuer, by their ids. */
  readonly platformClients: ReadonlyMap<string, PlatformClient>;
  /** The OpenID provider of this issuer. */
  readonly openidProviderOf: (issuerUrl: string) => Promise<Provider>;
};

export type ProtocolContext = ground.ProtocolContext<OauthDeps>;
export const operation = defineOperation<OauthDeps>();
