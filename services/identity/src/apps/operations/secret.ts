import { Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';

/** A client secret in the API: enough to tell two of them apart. */
export const AppSecret = Type.Object({ id: Id, lastFour: Type.String(), createdAt: Timestamp, lastUsedAt: Nullable(Timestamp) });
