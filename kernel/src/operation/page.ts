import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { longestPage } from '../postgres/index.ts';
import { ScopeSchema } from '../scope/index.ts';

export function strict<Properties extends TProperties>(
  properties: Properties,
  options: { description?: string; graphqlType?: string } = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const idPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
export const Id = Type.String({ pattern: idPattern, description: 'UUID, lower case' });
export const Timestamp = Type.String({ description: 'ISO 8601, UTC, milliseconds' });

/** Bounded apart from the body, because a page contains 100 of them. */
export function FreeObject(what: string, limitKib: number) {
  return Type.Refine(
    Type.Record(Type.String(), Type.Unknown(), { description: `${what} of at most ${limitKib} KiB` }),
    (value) => Buffer.byteLength(JSON.stringify(value)) <= limitKib * 1024,
    () => `is larger than ${limitKib} KiB`,
  );
}
export const Metadata = FreeObject('A free-form object', 64);
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** The same schema, with what it means in one field, or the type that GraphQL gives it there. */
export function annotate<Schema extends TSchema>(
  schema: Schema,
  annotations: { readonly description?: string; readonly graphqlType?: string; readonly examples?: readonly unknown[] },
): Schema {
  // TypeBox keeps what it knows of a schema in hidden properties, which a spread would lose.
  return Object.assign(Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)), annotations);
}

export const entityFields = { id: Id, createdAt: Timestamp, updatedAt: Timestamp, deletedAt: Nullable(Timestamp) };

/** What every list takes. `relations` only where the entity has some. */
export function pageFields<Sort extends string, RelationName extends string = never>(
  sortFields: readonly [Sort, ...Sort[]],
  relations: readonly RelationName[] = [],
) {
  return {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: longestPage, description: 'default 50' })),
    search: Type.Optional(Type.String({ maxLength: 200 })),
    sortField: Type.Optional(Type.Enum([...sortFields])),
    sortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
    ids: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    relations: Type.Optional(Type.Array(Type.Enum([...relations]), { maxItems: 20 })),
  };
}

export const tagFilter = {
  tagIds: Type.Optional(Type.Array(Id, { maxItems: 50, description: 'Each of the items must carry all of them' })),
};
export const scopeField = { scope: ScopeSchema };

export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({ items: Type.Array(item), totalCount: Type.Integer(), hasNextPage: Type.Boolean() });
}
export type Page<Item> = { items: Item[]; totalCount: number; hasNextPage: boolean };

export function toPage<Item>(items: Item[], totalCount: number, { page = 1, limit = 50 }: { page?: number; limit?: number }): Page<Item> {
  return { items, totalCount, hasNextPage: page * limit < totalCount };
}
