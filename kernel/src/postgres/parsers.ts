import pg from 'pg';

type Parser = (text: string) => unknown;

/** '2026-11-21 02:30:00.123456+00' → '2026-11-21T02:30:00.123Z'. The session runs in UTC. */
function toIsoTimestamp(text: string): string {
  if (!text.endsWith('+00') || text.length < 22 || text[10] !== ' ') return new Date(text).toISOString();
  const time = text.length === 22 ? `${text.slice(11, 19)}.000` : text.slice(11, Math.min(23, text.length - 3)).padEnd(12, '0');
  return `${text.slice(0, 10)}T${time}Z`;
}

const { builtins } = pg.types;
const own = new Map<number, Parser>([
  [builtins.TIMESTAMPTZ, toIsoTimestamp],
  [builtins.DATE, (text) => text],
  [builtins.INT8, Number],
]);

/** Rows carry what JSON carries: ISO strings for times, numbers for counts. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): Parser =>
    own.get(oid) ?? (format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')),
};
