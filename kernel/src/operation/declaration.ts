import type { Static, TSchema } from 'typebox';
import type { Scope, Tenant, TokenScope, TokenTenant } from '../scope/index.ts';
import type { HandleContext, OperationContext, TokenType } from './context.ts';
import { type Deprecation, deprecationFaults } from './deprecation.ts';
import type { Example } from './example.ts';
import { isCreating } from './idempotency.ts';
import type { Permission } from './permission.ts';
import type { RestRelation } from './relations.ts';

/** What conditions see as `resource.*`; `undefined` when the thing does not exist in this scope. */
export type Target = Readonly<Record<string, unknown>> | undefined;

/**
 * `signedIn` means sessions unless `tokens` lists others; `optional` also anonymous callers. What
 * names service accounts asks people alone for a fresh sign-in.
 */
export type Access<Input, Deps> =
  | {
      readonly permission: Permission;
      readonly target?: (input: Input, context: OperationContext<Deps>) => Promise<Target>;
      /** The user who may do it to themselves, in a session and without the permission. */
      readonly oneself?: (input: Input) => string;
    }
  | {
      readonly signedIn: string;
      readonly tokens?: readonly TokenType[];
      readonly admit?: Admit<Input, Deps>;
      /** Also in a session that opens one organization only, by its provider's word. */
      readonly whenLinked?: true;
    }
  | { readonly optional: string; readonly tokens?: readonly TokenType[] }
  | { readonly open: string };

/** Throws for callers who lack what the operation demands besides a token. */
type Admit<Input, Deps> = (context: OperationContext<Deps>, input: Input) => Promise<void>;

/** When an unverified user is refused: `by-scope` in organizations and their projects only. */
export type Verification = 'by-scope' | 'organization' | 'account-settings' | { readonly exempt: string };

/**
 * `auth`: checks a secret, tells whether an address is registered, or sends mail, so that attempts
 * over REST and GraphQL count in the limit of authentication. An operation that takes a secret and
 * is counted like all others says why.
 */
export type Limit = 'auth' | { readonly global: string };

/** The handler's transaction: scoped as the restricted role (default), as owner, or none. */
export type Isolation = 'scope' | { readonly unscoped: string } | { readonly none: string };

/**
 * What acts later because of a mutation. `vouched`: on the word of the caller, who is asked again
 * then; `test/laws/authority` shows that it ends with the caller's right. `ends`: how else it ends.
 */
export type Leaves = 'nothing' | 'vouched' | { readonly ends: string };
type Consequences = { readonly kind: 'query' } | { readonly kind: 'mutation'; readonly leaves: Leaves };

export type RestBinding =
  | {
      readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      readonly path: `/api/${string}`;
      readonly status?: 200 | 201 | 202;
      /** Sent again with the same id of the client's, it answers 200 with what is there. */
      readonly orExisting?: true;
      readonly bodyLimitBytes?: number;
      /** Sent as a file of this name, without the envelope. */
      readonly download?: string;
    }
  | { readonly none: string };

/** The root field, the type that it answers, and for lists the field that contains the items. */
export type GraphqlBinding = { readonly field: string; readonly type: string; readonly items?: string } | { readonly none: string };

export type Declaration<Deps, Input extends TSchema, Output extends TSchema, Prepared, Result> = {
  readonly name: string;
  readonly summary: string;
  readonly kind: 'query' | 'mutation';
  readonly input: Input;
  readonly output: Output;
  readonly access: Access<Static<Input>, Deps>;
  /** The tenants that `input.scope` may name. A user in a project counts as the project. */
  readonly scopes: readonly (Tenant | TokenTenant)[] | 'none';
  readonly verification: Verification;
  /** Sessions whose last proof is older are refused, others are never asked. */
  readonly freshness?: { readonly minutes: number };
  /** Sessions below this level are refused. */
  readonly assurance?: 'aal2';
  readonly isolation?: Isolation;
  readonly limit?: Limit;
  /** Error codes beyond those of every operation, for the documentation. */
  readonly errors: readonly string[];
  /** The audit row's action, written with the change; a query gives the reason why it has none. */
  readonly audit: string | { readonly none: string };
  readonly events: readonly string[];
  /** A mutation states it. */
  readonly leaves?: Leaves;
  /** A supporter who acts as a person may use it, although it asks for no permission. */
  readonly support?: 'allowed';
  /** It takes If-Match although it is no PATCH: it changes one thing that has a version. */
  readonly versioned?: true;
  /** It can change a key set or a discovery document: the gateway then forgets those it keeps. */
  readonly changesDocuments?: true;
  readonly rest: RestBinding;
  readonly graphql: GraphqlBinding;
  /** It will be removed: headers, OpenAPI, GraphQL, the client and docs/ say so. */
  readonly deprecated?: Deprecation;
  readonly example?: Example<Static<Input>>;
  readonly relations?: Readonly<Record<string, RestRelation<Deps>>>;
  /** The specification's clauses that this operation implements, as in `spec:sessions.4`. */
  readonly clauses?: readonly string[];
  /** Before the transaction: remote calls, hashing. Holds no connection. */
  readonly prepare?: (input: Static<Input>, context: OperationContext<Deps>) => Promise<Prepared>;
  /** The change itself, in one transaction, without remote calls. */
  readonly handle: (input: Static<Input>, context: HandleContext<Deps>, prepared: Prepared) => Promise<Result>;
  /** After the commit: signing, remote calls. Left out, the result is the output. */
  readonly complete?: (result: Result, context: OperationContext<Deps>, input: Static<Input>) => Promise<Static<Output>>;
};

export type Operation<Deps> = Omit<
  Declaration<Deps, TSchema, TSchema, unknown, unknown>,
  'access' | 'example' | 'prepare' | 'handle' | 'complete'
> & {
  readonly access: Access<OperationInput, Deps>;
  readonly example?: Example<Readonly<Record<string, unknown>>>;
  readonly prepare?: (input: OperationInput, context: OperationContext<Deps>) => Promise<unknown>;
  readonly handle: (input: OperationInput, context: HandleContext<Deps>, prepared: unknown) => Promise<unknown>;
  readonly complete?: (result: unknown, context: OperationContext<Deps>, input: OperationInput) => Promise<unknown>;
};

export type OperationInput = { readonly scope?: Scope | TokenScope; readonly relations?: readonly string[] } & Readonly<
  Record<string, unknown>
>;

/** Fixes the type of a service's dependencies. The returned function declares one operation. */
export function defineOperation<Deps>() {
  return <Input extends TSchema, Output extends TSchema, Prepared = undefined, Result = Static<Output>>(
    declaration: Declaration<Deps, Input, Output, Prepared, Result> &
      Consequences &
      // Without `complete` the handler's result must be the output.
      (Result extends Static<Output>
        ? unknown
        : { readonly complete: NonNullable<Declaration<Deps, Input, Output, Prepared, Result>['complete']> }),
  ): Operation<Deps> => {
    assertCoherent(declaration);
    // The only cast of these types: the pipeline passes only input that the schema accepted.
    return Object.freeze(declaration) as unknown as Operation<Deps>;
  };
}

type Stated = Pick<
  Operation<never>,
  'name' | 'kind' | 'scopes' | 'audit' | 'rest' | 'verification' | 'events' | 'isolation' | 'deprecated'
> & {
  readonly access: object;
};

function assertCoherent(stated: Stated): void {
  const { name, kind, access, scopes, audit, rest, verification, events, isolation, deprecated } = stated;
  const faults = [
    ...('permission' in access && scopes === 'none' ? ['a permission needs a scope to hold it in'] : []),
    ...(kind === 'mutation' && typeof audit !== 'string' ? ['a mutation needs an audit action'] : []),
    ...(kind === 'query' && 'method' in rest && rest.method !== 'GET' && rest.method !== 'POST'
      ? ['a query is read by GET (or POST for large questions)']
      : []),
    ...(kind === 'mutation' && 'method' in rest && rest.method === 'GET' ? ['a mutation is never a GET'] : []),
    ...(isCreating({ access, rest }) && (kind === 'query' || (typeof isolation === 'object' && 'none' in isolation))
      ? ['what answers 201 is a mutation in a transaction, which an Idempotency-Key needs']
      : []),
    ...(kind === 'query' && events.length > 0 ? ['a query emits no events'] : []),
    ...(verification === 'by-scope' && scopes === 'none' && kind === 'mutation' ? ['by-scope verification needs a scope'] : []),
    ...(deprecated === undefined ? [] : deprecationFaults(deprecated)),
  ];
  if (faults.length > 0) throw new Error(`operation ${name}: ${faults.join('; ')}`);
}
