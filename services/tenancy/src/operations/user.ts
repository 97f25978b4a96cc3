import { entityFields, Metadata, Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';

/** A user as identity shows them. */
export const UserSchema = strict({ ...entityFields, name: Type.String(), pictureUrl: Nullable(Type.String()), metadata: Metadata });
