import { useDialog } from '../shell/address.ts';
import { useRights } from '../shell/rights.ts';
import { useTexts } from '../shell/words.ts';
import { type Action, allowed } from './actions.ts';

/** Edit, tags and delete, as far as the person may, for things of one resource. */
export function useEditActions(resource: string): (id: string) => Action[] {
  const { t } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  return (id) =>
    allowed(
      [may(`${resource}:Update`), { label: t('edit'), run: () => dialog.open('edit', id) }],
      [resource !== 'Tag' && may(`${resource}:Update`), { label: t('editTags'), run: () => dialog.open('tags', id) }],
      [may(`${resource}:Delete`), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
    );
}
