import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import { users } from './people.ts';

/** Only `npm run platform:admin` writes it. */
export const platformAdministrators = table('platform_administrators', {
  userId: references(users).primary(),
  grantedAt: timestamp().defaultRaw('now()'),
});

/** The people of an import by the ids of the system that they come from. */
export const importedPeople = table(
  'imported_people',
  { externalId: column.text().primary(), userId: references(users), importedAt: timestamp() },
  { indexes: [{ name: 'imported_people_user', properties: ['userId'] }] },
);
