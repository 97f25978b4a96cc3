/**
 * The people of a Cognito user pool: what `list-users` answers, or a table with the columns that
 * the pool's own CSV has. Cognito never gives hashes away, so they come without passwords.
 */
import { exitCodes, Failure } from '../failure.ts';
import { flagOf, type Table } from './csv.ts';
import { entriesOf } from './json-list.ts';
import { type Entry, invalid, isEntry, type Row, textOf, toPerson } from './person.ts';

/** Standard attributes that profiles show. `custom:…` stays behind: it may decide about rights. */
const profile = [
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone_number',
  'address',
];

function personOf(attributes: Entry, username: string | undefined): Row['found'] {
  const { sub, email, email_verified: verified, name } = attributes;
  const emailVerified = verified === undefined ? false : flagOf(verified);
  const externalId = textOf(sub) ?? username;
  if (emailVerified === undefined) return invalid('email_verified must be true or false', { email, externalId });
  const parts = [attributes['given_name'], attributes['family_name']].flatMap((part) => textOf(part) ?? []).join(' ');
  const shown = profile.flatMap((key) => (textOf(attributes[key]) === undefined ? [] : [[key, attributes[key]]]));
  const metadata = shown.length === 0 ? null : Object.fromEntries(shown);
  return toPerson({ email, name: textOf(name) ?? parts, externalId, emailVerified, metadata });
}

/** The columns of `get-csv-header`; `sub` may be there too, and says better who it is. */
export const cognitoTable: Table = {
  columnsOf: (names, delimiter) => {
    if (names.includes('email') && names.includes('cognito:username') && new Set(names).size === names.length) return names;
    throw new Failure(
      `Line 1: the header names email and cognito:username, and each column once, with ${JSON.stringify(delimiter)} between them (--delimiter).`,
      exitCodes.usage,
    );
  },
  found: (cells) => personOf(cells, textOf(cells['cognito:username'])),
};

export async function* rowsOfCognito(source: AsyncIterable<Buffer>): AsyncIterable<Row> {
  for await (const { entry, line, bytes } of entriesOf(source, { list: 'Users', system: 'Cognito' }))
    yield { line, bytes, found: entry === undefined ? invalid('the user is no JSON object') : found(entry) };
}

function found({ Username: username, Enabled: isEnabled, Attributes: list }: Entry): Row['found'] {
  const attributes = Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .filter(isEntry)
      .flatMap(({ Name: name, Value: value }) => (typeof name === 'string' ? [[name, value]] : [])),
  );
  const about = { email: textOf(attributes['email']), externalId: textOf(attributes['sub']) ?? textOf(username) };
  if (isEnabled === false) return { fault: { status: 'skipped', reason: 'disabled in Cognito', ...about } };
  return personOf(attributes, textOf(username));
}
