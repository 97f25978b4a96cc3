import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useTexts } from '../../base/words.ts';
import { type Action, allowed } from './actions.ts';

/**
 * Edit, tags and delete, as far as the person may, for things of one resource. Edit opens a dialog,
 * or what `edit` opens.
 */
export function useEditActions(resource: string, edit?: (id: string) => void): (id: string) => Action[] {
  const { t } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  const editHere = (id: string) => dialog.open('edit', id);
  return (id) =>
    allowed(
      [may(`${resource}:Update`), { label: t('edit'), run: () => (edit ?? editHere)(id) }],
      [resource !== 'Tag' && may(`${resource}:Update`), { label: t('editTags'), run: () => dialog.open('tags', id) }],
      [may(`${resource}:Delete`), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
    );
}
