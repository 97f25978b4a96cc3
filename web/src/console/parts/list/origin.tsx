import { Badge } from '@mantine/core';
import { useGrantOf } from '../../base/project.ts';
import { usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

type OriginProps = { readonly isBuiltIn?: boolean; readonly isShared: boolean };

/** Whether a thing is built in, belongs to the product that the place uses, or is the place's own. */
export function Origin({ isBuiltIn = false, isShared }: OriginProps) {
  const { t } = useTexts();
  const grant = useGrantOf(usePlaceHere());
  const ofProduct = grant ? t('ofProduct', { product: grant.project.name }) : t('shared');
  return (
    <Badge variant="light" color={isBuiltIn || isShared ? 'gray' : 'indigo'}>
      {isShared ? ofProduct : t(isBuiltIn ? 'builtIn' : 'ownKind')}
    </Badge>
  );
}
