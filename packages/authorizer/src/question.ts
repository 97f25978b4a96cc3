/**
 * An account, an organization, or a project of one: `id` is then `<account or
 * organization>:<project>`.
 */
export type Scope = {
  readonly tenant: 'account' | 'organization' | 'accountProject' | 'organizationProject';
  readonly id: string;
};

/**
 * `self` is the credential's own program. Others are named by their id, which takes
 * Decision:Evaluate: a person, an API key, a machine app, a service account. The types of tokens
 * are for a service inside, which has verified the token itself.
 */
export type Subject =
  | { readonly type: 'self' }
  | { readonly type: 'user'; readonly userId: string }
  | { readonly type: 'apiKey' | 'app' | 'serviceAccount'; readonly id: string }
  | {
      readonly type: 'session' | 'apiKey' | 'projectApp';
      readonly userId: string;
      readonly tokenId: string;
      readonly tokenScope?: { readonly tenant: string; readonly id: string };
      readonly scopes?: readonly string[];
      readonly roleId?: string;
      readonly acr?: string;
      readonly authTime?: number;
    };

/** Whose rights, and where. Give `userToken` (the end user's access token) or `subject`. */
export type Whose = {
  readonly userToken?: string;
  readonly subject?: Subject;
  /**
   * By default where `userToken` acts, if your project signed it: for an organization that uses the
   * project, that organization. Else the scope of the credential's token.
   */
  readonly scope?: Scope;
  /** `x-consistency-token` of a write: the answer is from no older state than that write. */
  readonly consistencyToken?: string;
};

export type Question = Whose & {
  readonly resource: string;
  readonly action: string;
  /** What conditions read as `resource.*`. */
  readonly target?: Readonly<Record<string, unknown>>;
  /** Asks the database, past every cache. */
  readonly noCache?: boolean;
};

export type Decision = {
  readonly authorized: boolean;
  readonly reason: string;
  /** These three with `explain` only. */
  readonly matchedPermission?: object;
  readonly matchedCondition?: object;
  readonly evaluatedContext?: object;
};

export type PermissionGrant = { readonly resource: string; readonly action: string; readonly condition?: object };

/** How questions travel. Decisions are in the order of the questions. */
export type Transport = {
  readonly mostQuestions: number;
  ask(questions: readonly Question[], isExplained: boolean): Promise<readonly Decision[]>;
  listPermissions(whose: Whose): Promise<readonly PermissionGrant[]>;
  close(): void;
};
