/**
 * Trust in an outer issuer: whose assertions stand for a service account (RFC 7523, workload
 * identity). A pattern that matches too much gives strangers the account, so it is refused when it
 * is made.
 */
export type Trust = { readonly issuer: string; readonly audience: string; readonly claims: Readonly<Record<string, string>> };
export type TrustFault = { readonly field: string; readonly en: string; readonly de: string };

/** They are checked for every assertion, and would tell no two subjects of an issuer apart. */
const reserved = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'];
const claimName = /^[A-Za-z][\w.:/-]{0,99}$/;
const mostClaims = 10;
const longestValue = 500;

/** Why this trust cannot be kept: the first fault. */
export function trustFault({ issuer, claims }: Trust, { appUrl, frontendUrl }: Addresses): TrustFault | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && !/[?#\s]/.test(issuer);
  if (!isPlain)
    return {
      field: 'issuer',
      en: 'must be the https address of the issuer as its tokens have it, without query, fragment and user',
      de: 'muss die https-Adresse des Ausstellers sein, wie sie in seinen Tokens steht, ohne Query, Fragment und Benutzer',
    };
  if ([appUrl, frontendUrl].some((own) => new URL(own).origin === url.origin))
    return {
      field: 'issuer',
      en: 'must be an issuer outside this installation: its own tokens would renew themselves',
      de: 'muss ein Aussteller außerhalb dieser Installation sein: Deren eigene Tokens würden sich selbst erneuern',
    };
  return claimsFault(claims) ?? shapeFault(claims) ?? publicIssuerFault(url, claims);
}

type Addresses = { readonly appUrl: string; readonly frontendUrl: string };

function claimsFault(claims: Trust['claims']): TrustFault | undefined {
  const entries = Object.entries(claims);
  if (entries.length === 0 || entries.length > mostClaims)
    return {
      field: 'claims',
      en: `must name 1 to ${mostClaims} claims: without one, everybody at this issuer could use the account`,
      de: `muss 1 bis ${mostClaims} Claims nennen: Ohne einen könnte jeder bei diesem Aussteller das Konto verwenden`,
    };
  for (const [name, value] of entries) {
    const field = `claims.${name}`;
    if (!claimName.test(name)) return { field: 'claims', en: 'has a name that no claim has', de: 'hat einen Namen, den kein Claim hat' };
    if (reserved.includes(name))
      return {
        field,
        en: 'is checked anyway, and tells nobody at this issuer apart: name sub',
        de: 'wird ohnehin geprüft und unterscheidet niemanden bei diesem Aussteller: Nennen Sie sub',
      };
    const star = value.indexOf('*');
    if (value === '' || value.length > longestValue || value === '*' || (star !== -1 && star !== value.length - 1))
      return {
        field,
        en: `must be a text of up to ${longestValue} characters, with one * at most, at its end and not alone`,
        de: `muss ein Text bis ${longestValue} Zeichen sein, mit höchstens einem *, am Ende und nicht allein`,
      };
  }
  return undefined;
}

/**
 * Subjects whose parts are known. A pattern must name all parts that say whose it is, with the
 * separator after them: `acme/api*` is also `acme/api-of-a-stranger`.
 */
const shapes = [
  {
    head: 'repo:',
    whole: /^repo:[^/:*]+\/[^/:*]+:/,
    named: ['repository', 'repository_id'],
    en: 'names no repository, so that other repositories would match: write repo:<owner>/<repository>:…, or add repository',
    de: 'nennt kein Repository, sodass auch andere passen: Schreiben Sie repo:<Eigentümer>/<Repository>:…, oder ergänzen Sie repository',
  },
  {
    head: 'project_path:',
    whole: /^project_path:[^/:*]+(?:\/[^/:*]+)+:/,
    named: ['project_path', 'project_id'],
    en: 'names no project, so that other projects would match: write project_path:<group>/<project>:…, or add project_path',
    de: 'nennt kein Projekt, sodass auch andere passen: Schreiben Sie project_path:<Gruppe>/<Projekt>:…, oder ergänzen Sie project_path',
  },
  {
    head: 'system:serviceaccount:',
    whole: /^system:serviceaccount:[^:*]+:/,
    named: [],
    en: 'names no namespace, so that those of others would match: write system:serviceaccount:<namespace>:<name>',
    de: 'nennt keinen Namespace, sodass auch andere passen: Schreiben Sie system:serviceaccount:<Namespace>:<Name>',
  },
  {
    // HCP Terraform and Buildkite.
    head: 'organization:',
    whole: /^organization:[^:*]+:/,
    named: ['terraform_organization_id', 'terraform_workspace_id', 'organization_id', 'pipeline_id'],
    en: 'names no organization, so that other organizations would match: write organization:<name>:…, or add the claim with its id',
    de: 'nennt keine Organisation, sodass auch andere passen: Schreiben Sie organization:<Name>:…, oder ergänzen Sie den Claim mit ihrer ID',
  },
] as const;

/** An issuer of accounts that are open to the public: only the subject tells them apart. */
const people = {
  whole: /^[^*]+$/,
  named: ['email'],
  en: 'names no account, so that everybody with an account there would match: write sub or email without *',
  de: 'nennt kein Konto, sodass alle mit einem Konto dort passen: Schreiben Sie sub oder email ohne *',
};
type Shape = Pick<(typeof shapes)[number] | typeof people, 'whole' | 'named' | 'en' | 'de'>;

function isExact(claims: Trust['claims'], name: string): boolean {
  return Object.hasOwn(claims, name) && claims[name]?.endsWith('*') === false;
}

function shapeFault(claims: Trust['claims']): TrustFault | undefined {
  const { sub } = claims;
  if (sub === undefined || !sub.endsWith('*')) return undefined;
  const prefix = sub.slice(0, -1);
  const fault = shapes.find(
    ({ head, whole, named }) =>
      (prefix.startsWith(head) ? !whole.test(prefix) : head.startsWith(prefix)) && !named.some((name) => isExact(claims, name)),
  );
  return fault && { field: 'claims.sub', en: fault.en, de: fault.de };
}

/** Issuers that give tokens to the public: the claims must say whose they are. */
const publicIssuers: Readonly<Record<string, Shape>> = {
  'token.actions.githubusercontent.com': shapes[0],
  'gitlab.com': shapes[1],
  'app.terraform.io': shapes[3],
  'agent.buildkite.com': shapes[3],
  'accounts.google.com': people,
};

function publicIssuerFault({ hostname }: URL, claims: Trust['claims']): TrustFault | undefined {
  const shape = Object.hasOwn(publicIssuers, hostname) ? publicIssuers[hostname] : undefined;
  if (shape === undefined || shape.whole.test(claims['sub'] ?? '') || shape.named.some((name) => isExact(claims, name))) return undefined;
  return { field: Object.hasOwn(claims, 'sub') ? 'claims.sub' : 'claims', en: shape.en, de: shape.de };
}

/**
 * The first claim that is not as the trust says; undefined when all are. Only texts match, and only
 * at the top of the payload.
 */
export function unmatchedClaim({ claims }: Pick<Trust, 'claims'>, payload: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(claims).find(([name, pattern]) => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (typeof value !== 'string') return true;
    return pattern.endsWith('*') ? !value.startsWith(pattern.slice(0, -1)) : value !== pattern;
  })?.[0];
}

/** Exactly this one, alone: as a text, or in a list as Kubernetes writes it. */
export function isFor({ audience }: Pick<Trust, 'audience'>, aud: unknown): boolean {
  return Array.isArray(aud) ? aud.length === 1 && aud[0] === audience : aud === audience;
}
