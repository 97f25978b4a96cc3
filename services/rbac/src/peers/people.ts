import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Json } from '@tessera/rules/condition';
import type { Person } from '../domain/person.ts';

function parse(json: string): Json {
  return json === '' ? {} : (JSON.parse(json) as Json);
}
const portion = 500;

/** Users as identity knows them. */
export function createPeople(identity: Pick<GrpcClient<'identity.v1.Identity'>, 'getUsers'>) {
  const find = async (userIds: readonly string[]): Promise<readonly Person[]> => {
    const people: Person[] = [];
    for (let start = 0; start < userIds.length; start += portion) {
      const { users } = await identity.getUsers({ ids: userIds.slice(start, start + portion) });
      for (const { metadataJson, pictureUrl, deletedAt, ...user } of users) {
        people.push({ ...user, pictureUrl: pictureUrl ?? null, metadata: parse(metadataJson), deletedAt: deletedAt ?? null });
      }
    }
    return people;
  };
  return {
    find,
    /** In the order of the ids; empty for an unknown user. */
    metadataOf: async (userIds: readonly string[]): Promise<Json[]> => {
      const { users } = await identity.getUsers({ ids: [...new Set(userIds)] });
      const byId = new Map(users.map(({ id, metadataJson }) => [id, parse(metadataJson)]));
      return userIds.map((id) => byId.get(id) ?? {});
    },
  };
}
