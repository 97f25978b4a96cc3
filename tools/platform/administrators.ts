/** Who administers the platform, in identity's database: the command line alone writes it. */
import { userInfo } from 'node:os';
import type { Client } from 'pg';

export type Administrator = {
  readonly email: string;
  readonly name: string;
  readonly grantedAt: string;
  readonly hasSecondFactor: boolean;
  /** False when the person holds no address any more: then the role counts for nothing. */
  readonly holdsAddress: boolean;
};

/** What was asked for cannot be done; the text is for the operator. */
export class Refused extends Error {}

/**
 * As identity's rule: a provider vouches for the address, or mailbox and account came together. The
 * link of the mail alone may have been opened for a stranger who registered with the address.
 */
const isHeld = `m.is_verified AND (m.provider <> 'email' OR m.held_at IS NOT NULL)`;

/** The person whose account holds this address. */
async function personOf(client: Client, email: string): Promise<{ id: string; name: string }> {
  const address = email.normalize('NFC').toLowerCase().normalize('NFC');
  const { rows } = await client.query<{ id: string; name: string; verified: boolean; held: boolean; own: boolean }>(
    `SELECT u.id, u.name, bool_or(m.is_verified) AS verified, bool_or(${isHeld}) AS held,
       EXISTS (SELECT FROM authentication_methods o WHERE o.user_id = u.id AND o.provider NOT LIKE 'connections/%') AS own
     FROM authentication_methods m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
     WHERE m.email = $1 GROUP BY u.id, u.name`,
    [address],
  );
  const proven = rows.filter(({ verified }) => verified);
  if (rows.length === 0) throw new Refused(`No person has the address ${email}.`);
  if (proven.length === 0) throw new Refused(`${email} is not verified: its owner opens the link of the mail first.`);
  const [person, another] = proven;
  if (person === undefined || another !== undefined) throw new Refused(`Several people have proven ${email}.`);
  if (!person.own)
    throw new Refused(`${email} signs in by an organization's provider only: its owner adds a way of their own first, such as a password.`);
  if (!person.held)
    throw new Refused(
      `${email} was confirmed by the link of a mail alone, maybe for a stranger's account: its owner signs in and confirms it in the profile with a code.`,
    );
  return person;
}

async function audit(client: Client, action: string, userId: string): Promise<void> {
  const detail = { by: 'npm run platform:admin', operatingSystemUser: userInfo().username };
  await client.query(
    `INSERT INTO audit_log (id, at, operation, action, outcome, target_type, target_id, ip_address, user_agent, detail, changes)
     VALUES (gen_random_uuid(), now(), 'platform:admin', $1, 'ok', 'User', $2, '', '', $3, '[]')`,
    [action, userId, detail],
  );
}

async function inTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** False for a person who is one already. */
export function grant(client: Client, email: string): Promise<boolean> {
  return inTransaction(client, async () => {
    const { id } = await personOf(client, email);
    const { rowCount } = await client.query('INSERT INTO platform_administrators (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
    if (rowCount === 1) await audit(client, 'platform.administrator-granted', id);
    return rowCount === 1;
  });
}

/** Also of an address that is no longer verified. False for a person who is none. */
export function revoke(client: Client, email: string): Promise<boolean> {
  return inTransaction(client, async () => {
    const address = email.normalize('NFC').toLowerCase().normalize('NFC');
    const { rows } = await client.query<{ user_id: string }>(
      `DELETE FROM platform_administrators WHERE user_id IN (SELECT user_id FROM authentication_methods WHERE email = $1) RETURNING user_id`,
      [address],
    );
    for (const { user_id: id } of rows) await audit(client, 'platform.administrator-revoked', id);
    return rows.length > 0;
  });
}

export async function list(client: Client): Promise<readonly Administrator[]> {
  const { rows } = await client.query<Administrator>(
    `SELECT u.name, a.granted_at AS "grantedAt",
       coalesce((SELECT m.email FROM authentication_methods m WHERE m.user_id = u.id AND m.email IS NOT NULL
                 ORDER BY m.is_verified DESC, m.is_primary DESC LIMIT 1), '') AS email,
       EXISTS (SELECT FROM second_factors f WHERE f.user_id = u.id AND f.is_confirmed) AS "hasSecondFactor",
       u.deleted_at IS NULL AND EXISTS (SELECT FROM authentication_methods m WHERE m.user_id = u.id AND ${isHeld}) AS "holdsAddress"
     FROM platform_administrators a JOIN users u ON u.id = a.user_id ORDER BY email`,
  );
  return rows;
}
