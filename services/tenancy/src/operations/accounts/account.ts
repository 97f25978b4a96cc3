import { entityFields, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { accountTypes } from '../../domain/account.ts';

export const AccountSchema = strict(
  { ...entityFields, type: Type.Enum([...accountTypes]), ownerId: Id },
  { description: 'A user’s own account' },
);
