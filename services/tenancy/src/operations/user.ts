import { entityFields, Metadata, Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';

/** A user as identity returns it. */
export const UserSchema = strict({ ...entityFields, name: Type.String(), pictureUrl: Nullable(Type.String()), metadata: Metadata });
