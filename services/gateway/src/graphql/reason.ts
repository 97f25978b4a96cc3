const keptDetail = /^Field "\w{1,200}" (?:of required type "[\w![\]]{1,200}" was not provided|is not defined by type "\w{1,200}")\.$/;
const longestKept = 500;

/** The text before a mark, closed with a full stop. All of it if it lacks the mark. */
function upTo(text: string, mark: string, kept = ''): string {
  const place = text.indexOf(mark);
  return place === -1 ? text : `${text.slice(0, place)}${kept}.`;
}

function withoutSuggestion(text: string): string {
  const place = text.endsWith('?') ? text.lastIndexOf(' Did you mean ') : -1;
  return place === -1 ? text : text.slice(0, place);
}

/**
 * `Variable "$name" got invalid value … at "name.field"; detail`: keeps the path, and a detail with
 * schema names only.
 */
function ofVariable(name: string, text: string): string {
  const start = Math.max(text.lastIndexOf(` at "${name}.`), text.lastIndexOf(` at "${name}[`));
  const end = start === -1 ? text.lastIndexOf('; ') - 1 : text.indexOf('"; ', start);
  const path = start === -1 ? name : text.slice(start + ' at "'.length, end);
  const detail = text.slice(end + '"; '.length);
  const isKept = path.length + detail.length <= longestKept && keptDetail.test(detail);
  return `${path.slice(0, longestKept)}: ${isKept ? detail : 'the value is not valid.'}`;
}

/**
 * The message of graphql-js without the value at fault, which may be a password, and without
 * suggested names, which would show the schema where introspection is off. Its time does not grow
 * with the length of the value.
 */
export function reasonOf(message: string): string {
  const text = withoutSuggestion(message);
  const name = /^Variable "\$(\w+)" got invalid value /.exec(text)?.[1];
  return name === undefined ? upTo(upTo(text, ', found '), ' value: ', ' value') : ofVariable(name, text);
}
