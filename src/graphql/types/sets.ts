import { SetCode } from '../../domain/inputs.ts';
import { inOrder, pageInOrder } from '../../domain/key-order.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { SET_ORDER } from '../../services/sets/get.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import type { SchemaParts } from './refs.ts';

/** The sets of the catalogue. */
export function addSets(parts: SchemaParts): void {
  const { builder, SetType } = parts;
  addSetType(parts);
  builder.queryFields((t) => ({
    set: t.field({
      type: SetType,
      nullable: true,
      description: 'A set; null where there is none with this code.',
      args: { code: t.arg.string({ required: true, description: 'Its code, e.g. `WTR`, in any case.' }) },
      resolve: (_root, { code }, { loaders }) => loaders.sets.set(parseInput(SetCode, code, ['code'])),
    }),
    sets: t.connection(
      {
        type: SetType,
        description: 'All sets, the newest first; those of which no day of release is known come last.',
        resolve: async (_root, args, { loaders }) => {
          const sets = [...(await loaders.sets.all()).values()].sort(inOrder(SET_ORDER));
          return connectionOf(
            args,
            SET_ORDER,
            (request) => pageInOrder(sets, SET_ORDER, request),
            () => sets.length,
          );
        },
      },
      ...connectionNames('Set'),
    ),
  }));
}

function addSetType({ builder, enums, GoalProgressType, SetType }: SchemaParts): void {
  builder.node(SetType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `set_…`.' },
    description: 'A set of the catalogue.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'Its code, e.g. `WTR`.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      releaseDate: t.expose('releaseDate', {
        type: 'Date',
        nullable: true,
        description: 'The first day on which any of it came out; null where none is known.',
      }),
      kind: t.expose('kind', { type: enums.SetKind, description: 'What it is sold as.' }),
      editions: t.exposeStringList('editions', {
        description:
          'Those that its cards were printed in, as filters take them, e.g. `1st`; none where they have none.',
      }),
      cardCount: t.exposeInt('cardCount', { description: 'Products of it that are cards.' }),
      sealedCount: t.exposeInt('sealedCount', { description: 'Products of it that are sealed.' }),
      variantCount: t.exposeInt('variantCount', { description: 'Finishes and editions of its cards.' }),
      completion: t.field({
        type: GoalProgressType,
        nullable: true,
        description:
          'What of its cards a collection holds, and what it lacks; null where you have no such collection.',
        args: {
          collectionId: t.arg.id({ required: true, description: 'The collection.' }),
          match: t.arg({
            type: enums.GoalMatch,
            defaultValue: 'Product',
            description: 'What is wanted one of each of: variants, products or cards.',
          }),
        },
        resolve: (set, { collectionId, match }, { loaders }) =>
          loaders.sets.completion(set, collectionId, match ?? 'Product'),
      }),
    }),
  });
}
