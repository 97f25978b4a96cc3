export function assertIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`'${name}' is not a plain lower-case SQL name.`);
  return name;
}
