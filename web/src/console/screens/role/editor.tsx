import { Button, Checkbox, Select, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { actionOfResource, resourceInWords } from '../../base/built-in-words.ts';
import { Icon } from '../../base/icon.tsx';
import { useIsProduct } from '../../base/project.ts';
import { useRights } from '../../base/rights.ts';
import { useRoleScope } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from '../../parts/form/conflict.tsx';
import { DraftForm } from '../../parts/form/draft-form.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Changes } from './changes.tsx';
import { Leaf } from './leaf.tsx';
import { NewResource } from './new-resource.tsx';
import { readPicture, savePicture } from './picture.ts';
import { fieldOf, type Group, isEmpty, type Permission, type Picture, planOf, valuesOf } from './plan.ts';
import { TickTable } from './tick-table.tsx';
import { keyOf, rowsOf, sourcesOf } from './ticks.ts';
import { useTicks } from './use-ticks.ts';

type EditorProps = {
  readonly picture: Picture;
  readonly resourceName: (id: string) => string;
  readonly close: () => void;
};

/** The whole of a role at once: what it gives, its groups, and what saving would change. */
export function RoleEditor({ picture: opened, resourceName, close }: EditorProps) {
  const { t } = useTexts();
  const tell = useTell();
  const scope = useRoleScope();
  const isProduct = useIsProduct();
  const { data: permissions = [] } = useQuery({
    queryKey: ['console', 'permission choice', scope],
    queryFn: () => Array.fromAsync(tessera.listScopePermissions({ scope, limit: 100, sortField: 'name' })),
  });
  const { data: roles = [] } = useQuery({
    queryKey: ['console', 'roles with groups', scope],
    queryFn: () => Array.fromAsync(tessera.listRoles({ scope, limit: 100, relations: ['groups'] })),
  });
  const { mayTick, resources, onOffer, newResourceIn } = useTicks();
  const ownKeys = (opened.own?.permissions ?? []).map(keyOf);
  const names = [
    ...rowsOf(resources, ownKeys).flatMap(({ resource, actions }) =>
      actions.map((action) => ({
        value: keyOf({ resourceId: resource.id, action }),
        label: `${resourceInWords(resource)}: ${actionOfResource(resource, action)}`,
      })),
    ),
    ...permissions.map(({ id, name }) => ({ value: id, label: name })),
    ...opened.groups.map(({ id, name }) => ({ value: id, label: name })),
    ...opened.groups.map(({ id, name }) => ({ value: fieldOf(id), label: t('permissionsOfGroup', { name }) })),
  ];
  const draft = useDraft({
    initial: valuesOf(opened),
    edits: { thing: opened, show: valuesOf, read: () => readPicture(scope, opened.role.id) },
    names,
    keepAs: `role picture ${opened.role.id}`,
    isInParts: true,
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterAName') : undefined }),
    send: (values, { ifMatch }) => savePicture(scope, values, ifMatch ?? opened),
    done: () => {
      tell(t('saved'));
      close();
    },
  });
  const picture = draft.thing ?? opened;
  const plan = planOf(draft.values, picture);
  const { groupIds } = draft.values;
  const known = new Map([...permissions, ...picture.groups.flatMap((group) => group.permissions)].map((one) => [one.id, one]));
  const own = picture.groups.filter(({ id }) => groupIds.includes(id));
  const others = picture.groups.filter(({ id }) => !groupIds.includes(id));
  const nameOf = (id: string) => names.find(({ value }) => value === id)?.label ?? known.get(id)?.name ?? id;
  // As they would be: a group that is taken away here gives nothing more.
  const sources = sourcesOf(
    picture.own?.permissions ?? [],
    own.map(({ id, name }) => ({ name, permissions: [...known.values()].filter((one) => draft.values[fieldOf(id)]?.includes(one.id)) })),
  );
  return (
    <DraftForm draft={draft} label={t('editNamed', { name: picture.role.name })}>
      <div className="pair">
        <TextInput {...draft.text('name')} label={t('nameLabel')} autoComplete="off" />
        <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      </div>
      {isProduct ? (
        <Checkbox
          label={t('isGrantable')}
          description={t('isGrantableHelp')}
          checked={draft.values.isGrantable}
          onChange={({ currentTarget }) => draft.set('isGrantable', currentTarget.checked)}
        />
      ) : null}
      {mayTick ? (
        <TickTable
          resources={resources}
          chosen={draft.values.ticked}
          change={(ticked) => draft.set('ticked', ticked)}
          sources={sources}
          onOffer={onOffer}
        >
          {newResourceIn === undefined ? null : <NewResource scope={newResourceIn} />}
        </TickTable>
      ) : null}
      {own.length === 0 ? null : (
        <ul className="tree" aria-label={t('groups')}>
          {own.map((group) => (
            <EditedGroup
              key={group.id}
              group={group}
              sharedWith={roles.filter(({ id, groups }) => id !== picture.role.id && groups?.some((one) => one.id === group.id))}
              held={[...known.values()].filter(({ id }) => draft.values[fieldOf(group.id)]?.includes(id))}
              choice={permissions}
              resourceName={resourceName}
              change={(held) => draft.set(fieldOf(group.id), held.toSorted())}
              remove={() =>
                draft.set(
                  'groupIds',
                  groupIds.filter((id) => id !== group.id),
                )
              }
            />
          ))}
        </ul>
      )}
      {picture.groups.length === 0 ? null : (
        <Select
          key={`add ${groupIds.length}`}
          size="sm"
          label={t('addGroup')}
          description={t('groupsHelp')}
          placeholder={t(others.length === 0 ? 'noMoreGroups' : 'searchByName')}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          error={draft.field('groupIds').error}
          disabled={others.length === 0}
          searchable
          onChange={(id) => {
            if (id !== null) draft.set('groupIds', [...groupIds, id].toSorted());
          }}
        />
      )}
      <Changes scope={scope} picture={picture} plan={plan} nameOf={nameOf} />
      {draft.other === undefined ? null : <Conflict {...draft.other} />}
      <div className="dialog-end">
        <Button
          variant="default"
          onClick={() => {
            draft.discard();
            close();
          }}
        >
          {t('cancel')}
        </Button>
        <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined || isEmpty(plan)}>
          {t('save')}
        </Button>
      </div>
    </DraftForm>
  );
}

type GroupProps = {
  readonly group: Group;
  readonly sharedWith: readonly { readonly name: string }[];
  readonly held: readonly Permission[];
  readonly choice: readonly Permission[];
  readonly resourceName: (id: string) => string;
  readonly change: (permissionIds: readonly string[]) => void;
  readonly remove: () => void;
};

function EditedGroup({ group: { name, isShared }, sharedWith, held, choice, resourceName, change, remove }: GroupProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const ids = held.map(({ id }) => id);
  const others = choice.filter(({ id }) => !ids.includes(id));
  const mayChange = may('Group:Update') && !isShared;
  return (
    <li aria-label={name}>
      <div className="tree-head">
        <Title order={2} size="h4">
          <Icon name="stack" /> {name}
        </Title>
        <Button variant="default" size="xs" onClick={remove} aria-label={t('takeGroup', { name })}>
          {t('removeMember')}
        </Button>
      </div>
      {sharedWith.length === 0 ? null : (
        <Text size="sm" c="dimmed" className="wrap">
          {t('alsoIn', { names: sharedWith.map((role) => role.name).join(', ') })}
        </Text>
      )}
      <ul>
        {held.map((permission) => (
          <Leaf key={permission.id} permission={permission} resource={resourceName(permission.resourceId)}>
            {mayChange ? (
              <button
                type="button"
                className="plain"
                aria-label={t('takePermission', { name: permission.name })}
                onClick={() => change(ids.filter((id) => id !== permission.id))}
              >
                <Icon name="cross" size={14} />
              </button>
            ) : null}
          </Leaf>
        ))}
        {held.length === 0 ? <li className="leaf">{t('nothingYet')}</li> : null}
      </ul>
      {mayChange ? (
        <Select
          key={`add ${ids.length}`}
          size="sm"
          mt="sm"
          label={t('addPermission', { name })}
          placeholder={t('searchByName')}
          data={others.map((one) => ({ value: one.id, label: one.name }))}
          value={null}
          disabled={others.length === 0}
          searchable
          onChange={(id) => {
            if (id !== null) change([...ids, id]);
          }}
        />
      ) : null}
    </li>
  );
}
