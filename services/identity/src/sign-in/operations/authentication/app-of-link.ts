import type { Static } from 'typebox';
import Type from 'typebox';
import { findAppOfClient } from '../../../apps/storage/project-apps.ts';
import type { Reader } from '../../../ground/storage/reader.ts';
import type { AppOfLink } from '../../../people/mailer.ts';

/** Of operations that send a link, for people who are on their way to an app. */
export const appOfLink = {
  clientId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The app in which the person does this: the page of the link leads back to it',
    }),
  ),
  interactionId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of the page: their sign-in to the app' })),
};

const asked = Type.Object(appOfLink);

/**
 * Only the link changes by it. The interaction is of use in the browser that began it alone, which
 * a cookie says: a link that is opened elsewhere signs no person in to the app.
 */
export async function findAppOfLink(reader: Reader, { clientId, interactionId }: Static<typeof asked>): Promise<AppOfLink | undefined> {
  if (clientId === undefined || (await findAppOfClient(reader, clientId)) === undefined) return undefined;
  return { clientId, ...(interactionId === undefined ? {} : { interactionId }) };
}
