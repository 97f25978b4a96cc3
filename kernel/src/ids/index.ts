import { v7 } from 'uuid';

/** UUID v7 in lower case, increasing within a process, so that index inserts stay local. */
export function newId(): string {
  return v7();
}

/** RFC 9562: versions 1 to 8 of its own variant, and the nil and max UUIDs. */
const LOWER_CASE_UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(?:-0{4}){3}-0{12}|f{8}(?:-f{4}){3}-f{12})$/;

export function isId(text: string): boolean {
  return LOWER_CASE_UUID.test(text);
}
