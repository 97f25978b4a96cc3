export function isUniqueViolation(thrown: unknown, constraint?: string): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    thrown.code === '23505' &&
    (constraint === undefined || ('constraint' in thrown && thrown.constraint === constraint))
  );
}
