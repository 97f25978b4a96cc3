/** With `__Host-` no other host of the domain can set it. Browsers want https for that. */
const nameOf = (name) => `${isSecure() ? '__Host-' : ''}${name}`;
const isSecure = () => process.env.APP_URL.startsWith('https:');

/** A cookie that scripts cannot read, and other sites cannot send along with a form. */
export function cookie(name, value) {
  const end = value === '' ? '; Max-Age=0' : '';
  return `${nameOf(name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}${end}`;
}

/** Under the name that `cookie` writes, and no other. */
export function cookieOf(headers, name) {
  const start = `${nameOf(name)}=`;
  const pairs = (headers.cookie ?? '').split(/; ?/);
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}
