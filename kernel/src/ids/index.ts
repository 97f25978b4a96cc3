import { v7, validate } from 'uuid';

/** A new entity id: UUID v7 (time-ordered, so index pages fill from one side), lower case. */
export const newId = (): string => v7();

const LOWER_CASE_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is an id as we write them: a UUID of any version, lower case. */
export const isId = (text: string): boolean => LOWER_CASE_UUID.test(text) && validate(text);
