import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import { users } from './people.ts';
import { projectApps } from './project-apps.ts';
import { sessions } from './sessions.ts';

/** What the OpenID providers keep for a while, found by a digest of its value. */
export const openidArtifacts = table(
  'openid_artifacts',
  {
    digest: column.blob().primary(),
    issuer: column.text(),
    /** The name of oidc-provider's model. */
    model: column.text(),
    /** Without the value itself. */
    payload: column.json<Readonly<Record<string, unknown>>>(),
    grantId: column.text().nullable(),
    userCodeDigest: column.blob().nullable(),
    userId: references(users).nullable(),
    projectAppId: references(projectApps).nullable(),
    sessionId: references(sessions).nullable(),
    /** The organization that it is for, if that uses the project of another one. */
    organizationId: column.uuid().nullable(),
    expiresAt: timestamp(),
    consumedAt: timestamp().nullable(),
    /** Of a device code: digest of the cookie of the browser that entered its user code. */
    browser: column.text().nullable(),
    /** Of a device code: when its device last asked, and how long it must wait. */
    polledAt: timestamp().nullable(),
    pollSeconds: column.integer().nullable(),
  },
  {
    uniques: [{ name: 'openid_artifacts_user_code', properties: ['userCodeDigest'] }],
    indexes: [
      { name: 'openid_artifacts_grant', properties: ['grantId'], where: 'grant_id IS NOT NULL' },
      { name: 'openid_artifacts_user', properties: ['userId', 'projectAppId'], where: 'user_id IS NOT NULL' },
      { name: 'openid_artifacts_app', properties: ['projectAppId'], where: 'project_app_id IS NOT NULL' },
      { name: 'openid_artifacts_session', properties: ['sessionId'], where: 'session_id IS NOT NULL' },
      {
        name: 'openid_artifacts_organization',
        properties: ['organizationId', 'projectAppId'],
        where: 'organization_id IS NOT NULL',
      },
      { name: 'openid_artifacts_expiry', properties: ['expiresAt'] },
    ],
    checks: [{ name: 'openid_artifacts_payload_check', expression: `jsonb_typeof(payload) = 'object'` }],
  },
);

/** The apps that a session signed in to. When the session ends, each gets a logout token. */
export const openidVisits = table(
  'openid_visits',
  {
    sessionId: column.uuid().primary(),
    projectAppId: references(projectApps).primary(),
    userId: column.uuid(),
    attempts: column.integer().defaultRaw('0'),
    dueAt: timestamp(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'openid_visits_app', properties: ['projectAppId'] },
      { name: 'openid_visits_due', properties: ['dueAt'] },
    ],
  },
);
