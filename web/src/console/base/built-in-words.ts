import { hasText, textOf } from '../../words/spoken.ts';

type Named = { readonly name: string; readonly slug: string; readonly isBuiltIn: boolean };

function spoken(key: string, name: string): string {
  return hasText(key) ? textOf(key) : name;
}

/** A built-in resource in words; another one by its name. */
export function resourceInWords({ name, slug, isBuiltIn }: Named): string {
  return isBuiltIn ? spoken(`builtInResources.${slug}`, name) : name;
}

/** An action of a built-in resource in words; another one as it is matched. */
export function actionOfResource({ isBuiltIn }: Pick<Named, 'isBuiltIn'>, action: string): string {
  return isBuiltIn ? spoken(`builtInActions.${action}`, action) : action;
}

/** What a built-in role is for; undefined for another one. */
export function builtInRoleInWords({ name, isBuiltIn }: Pick<Named, 'name' | 'isBuiltIn'>): string | undefined {
  const key = `builtInRoles.${name}`;
  return isBuiltIn && hasText(key) ? textOf(key) : undefined;
}
