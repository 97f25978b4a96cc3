/** Who is signed in. It has no token, so a page may hand it to the browser. */
export type Session = {
  readonly user: {
    readonly id: string;
    readonly name?: string;
    readonly email?: string;
    readonly isEmailVerified?: boolean;
    readonly picture?: string;
  };
  /** For whom the person acts, where other organizations use the project. */
  readonly organization?: { readonly id: string; readonly slug?: string };
  /** The scopes that were granted. */
  readonly scopes: readonly string[];
  /** How sure the sign-in was: `aal1` or `aal2`. */
  readonly acr?: string;
  /** When the person proved who they are, in seconds since 1970. */
  readonly authTime?: number;
  /** When the person must sign in again, in milliseconds since 1970. */
  readonly endsAtMs: number;
};

/** What the cookie holds. */
export type Kept = {
  readonly session: Session;
  /** Of the sign-in here, which a sign-out ends. The session at Tessera may go on. */
  readonly id: string;
  /** Of the session at Tessera, which a logout token ends. */
  readonly sid: string;
  readonly accessToken: string;
  readonly accessUntilMs: number;
  readonly refreshToken?: string;
  readonly idToken?: string;
};

export type Tokens = {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken?: string;
  readonly idToken?: string;
  readonly scope?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
};

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Only what is there: `undefined` would be an own property. */
function defined<Part extends object>(part: Part): { [Name in keyof Part]?: Exclude<Part[Name], undefined> } {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Part]?: Exclude<Part[Name], undefined>;
  };
}

export function sessionOf(claims: Readonly<Record<string, unknown>>, scope: string, endsAtMs: number): Session {
  const verified = claims['email_verified'];
  const orgId = text(claims['org_id']);
  const organization = orgId === undefined ? undefined : { id: orgId, ...defined({ slug: text(claims['org_slug']) }) };
  const authTime = claims['auth_time'];
  return {
    user: {
      id: String(claims['sub']),
      ...defined({ name: text(claims['name']), email: text(claims['email']), picture: text(claims['picture']) }),
      ...defined({ isEmailVerified: typeof verified === 'boolean' ? verified : undefined }),
    },
    ...defined({ organization, acr: text(claims['acr']), authTime: typeof authTime === 'number' ? authTime : undefined }),
    scopes: scope.split(' ').filter((each) => each !== ''),
    endsAtMs,
  };
}

/** The content comes out of an authenticated seal: of this package, maybe of an older one. */
export function isKept(content: unknown): content is Kept {
  if (typeof content !== 'object' || content === null) return false;
  const { session, id, sid, accessToken, accessUntilMs } = content as Record<string, unknown>;
  const areTexts = [id, sid, accessToken].every((each) => typeof each === 'string');
  return typeof session === 'object' && areTexts && typeof accessUntilMs === 'number';
}
