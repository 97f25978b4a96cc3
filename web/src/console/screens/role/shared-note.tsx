import { Text } from '@mantine/core';
import { useGrantOf } from '../../base/project.ts';
import { usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

/** Says that the owner of the project alone changes this role, and why it cannot be changed here. */
export function SharedNote() {
  const { t } = useTexts();
  const grant = useGrantOf(usePlaceHere());
  if (grant === undefined) return null;
  return <Text mb="md">{t('sharedText', { product: grant.project.name, owner: grant.ownerOrganization.name })}</Text>;
}
