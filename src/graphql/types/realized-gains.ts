import { occurredAt } from '../../domain/dates.ts';
import { LIMITS } from '../../domain/limits.ts';
import { withCommas } from '../../lib/text.ts';
import type { Collection } from '../../services/collections/model.ts';
import type { RealizedGains } from '../../services/collections/realized.ts';
import { SALES_ORDER, type Sale, type SaleLot } from '../../services/collections/sales.ts';
import type { SalesCsvPage } from '../../services/collections/sales-csv.ts';
import { connectionNames, connectionOf, connectionOfList } from '../connection.ts';
import { mustExist } from '../node.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** A point for each row of a part. */
const CSV_POINTS = 1000;

const UNKNOWN_COST =
  'Cards sold whose cost is not known, or in part: what is unknown counts as 0 in `cost`, and so in `gain`.';

type GainsOf = RealizedGains & { collection: Collection };

/** What sales brought, with what a tax form asks of each. */
export function addRealizedGains(parts: SchemaParts): void {
  const { builder, enums, CollectionType } = parts;
  const RealizedGainsType = addGainsType(parts);
  builder.objectField(CollectionType, 'realizedGains', (t) =>
    t.field({
      ...nullOnlyByError,
      type: RealizedGainsType,
      description: 'What the sales of a year brought.',
      args: {
        year: t.arg.int({ required: true, description: 'The calendar year, from 1970.' }),
        method: t.arg({
          type: enums.CostBasis,
          description: "What the cost goes by; the account's `costBasis` where it is left out.",
        }),
      },
      resolve: async (collection, { year, method }, { loaders }) => ({
        ...(await loaders.figures.realizedGains(collection, year, method ?? collection.costBasis)),
        collection,
      }),
    }),
  );
}

function addGainsType(parts: SchemaParts) {
  const { builder, enums, MoneyType } = parts;
  const SaleType = addSaleType(parts);
  const CsvType = builder.objectRef<SalesCsvPage>('SalesCsv').implement({
    description: 'A part of the sales of a year as CSV. All parts, one behind the other, are the file.',
    fields: (t) => ({
      csv: t.exposeString('csv', {
        description: `The lots of up to ${withCommas(LIMITS.exportPageSize)} sales, oldest first; the first part begins with the header.`,
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Gives the next part as `after`; null on the last one.',
      }),
    }),
  });
  return builder.objectRef<GainsOf>('RealizedGains').implement({
    description: 'What the sales of a year brought.',
    fields: (t) => ({
      year: t.exposeInt('year', { description: 'The calendar year.' }),
      method: t.expose('method', { type: enums.CostBasis, description: 'What the cost goes by.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards sold.' }),
      proceeds: t.expose('proceeds', {
        type: MoneyType,
        description: 'What they were sold for, less fees and shipping.',
      }),
      cost: t.expose('cost', {
        type: MoneyType,
        description:
          'What they had cost. By `AVERAGE`, also what purchases of the year change in the cost of earlier sales.',
      }),
      gain: t.expose('gain', {
        type: MoneyType,
        description:
          'proceeds − cost. The gains of all years by the `costBasis` of the account add up to the profit of the collection.',
      }),
      unknownCost: t.expose('unknownCost', {
        type: 'SafeInt',
        description: UNKNOWN_COST,
      }),
      sales: t.connection(
        {
          type: SaleType,
          description: 'The sales of the year, oldest first.',
          resolve: ({ collection, year, method }, args, { loaders }) =>
            connectionOf(
              args,
              SALES_ORDER,
              (request) => loaders.figures.sales(collection, year, method, request),
              () => loaders.figures.saleCount(collection, year),
            ),
        },
        ...connectionNames('RealizedSale'),
      ),
      salesCsv: t.field({
        type: CsvType,
        description: 'The same as CSV, a row for the cards of each purchase.',
        extensions: { points: CSV_POINTS },
        args: { after: t.arg.string({ description: '`endCursor` of the part before.' }) },
        resolve: ({ collection, year, method }, { after }, { loaders }) =>
          loaders.figures.salesCsv(collection, year, method, after ?? null),
      }),
    }),
  });
}

function addSaleType(parts: SchemaParts) {
  const { builder, MoneyType, VariantType } = parts;
  const LotType = addSaleLotType(parts);
  return builder.objectRef<Sale>('RealizedSale').implement({
    description: 'A sale, and of which purchases its cards were. Amounts are in the preferred currency.',
    fields: (t) => ({
      transactionId: t.exposeID('transactionId', { description: 'Id of the sale.' }),
      occurred: t.field({
        type: 'DateTime',
        description: 'The day it occurred, at noon UTC.',
        resolve: ({ occurred }) => occurredAt(occurred),
      }),
      variant: t.field({
        type: VariantType,
        description: 'What was sold.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards sold.' }),
      unitAmount: t.expose('unitAmount', {
        type: MoneyType,
        description: 'Price of one card, as it was given.',
      }),
      exchangeRate: t.exposeString('exchangeRate', {
        description:
          'Units of the preferred currency for one unit of that of `unitAmount`, an exact decimal.',
      }),
      proceeds: t.expose('proceeds', {
        type: MoneyType,
        description: 'What the cards were sold for, less fees and shipping.',
      }),
      cost: t.expose('cost', { type: MoneyType, description: 'What they had cost.' }),
      gain: t.expose('gain', { type: MoneyType, description: 'proceeds − cost.' }),
      unknownCost: t.expose('unknownCost', { type: 'SafeInt', description: UNKNOWN_COST }),
      uncovered: t.field({
        type: 'SafeInt',
        description: 'Cards sold beyond what was held: they are of no lot.',
        resolve: ({ uncovered }) => uncovered?.quantity ?? 0,
      }),
      lots: t.connection(
        {
          type: LotType,
          description: 'Its cards by the purchases that they were of, first in first out.',
          resolve: (sale, args) =>
            connectionOfList(args, 'sale-lots', sale.lotCount, (start, end) => sale.lotsIn(start, end)),
        },
        ...connectionNames('SaleLot'),
      ),
    }),
  });
}

function addSaleLotType({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<SaleLot>('SaleLot').implement({
    description: 'Cards of a sale that were bought together.',
    fields: (t) => ({
      transactionId: t.exposeID('transactionId', { description: 'Id of the purchase.' }),
      boughtOn: t.expose('occurred', { type: 'Date', description: 'The day of the purchase.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Cards.' }),
      unitAmount: t.expose('unitAmount', {
        type: MoneyType,
        description: 'Price of one card when it was bought, as it was given.',
      }),
      exchangeRate: t.exposeString('exchangeRate', {
        description:
          'Units of the preferred currency for one unit of that of `unitAmount`, an exact decimal.',
      }),
      cost: t.expose('cost', { type: MoneyType, description: 'What the cards had cost by the method.' }),
      costUnknown: t.exposeBoolean('isCostUnknown', {
        description: 'Whether nobody knows what one card cost when it was bought: `unitAmount` is 0.',
      }),
      daysHeld: t.exposeInt('daysHeld', { description: 'Days from the purchase to the sale.' }),
    }),
  });
}
