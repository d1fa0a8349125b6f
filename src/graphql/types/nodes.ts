import { DomainError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { SchemaParts } from './refs.ts';

/** Anything by its id. */
export function addNodes({ builder }: SchemaParts): void {
  builder.queryFields((t) => ({
    node: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      description: 'Anything by its global id; null where there is nothing of yours with it.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.node(id),
    }),
    nodes: t.field({
      type: [builder.nodeInterfaceRef()],
      nullable: { list: false, items: true },
      description: 'Anything by its global id, in the order of the ids.',
      args: { ids: t.arg.idList({ required: true, description: `At most ${LIMITS.pageSize} ids.` }) },
      resolve: (_root, { ids }, { loaders }) => {
        if (ids.length > LIMITS.pageSize)
          throw new DomainError('ValidationFailed', `ids: must have at most ${LIMITS.pageSize} ids`);
        return ids.map((id) => loaders.node(id));
      },
    }),
  }));
}
