/** How the answer of GraphQL, with every field that REST gives, becomes that of REST. */

// biome-ignore lint/suspicious/noExplicitAny: answers of either transport, whose shapes the tests compare
export type Item = any;

const MONEY = '{ currency value decimal }';
const AMOUNTS = `quantity cashPosition ${MONEY} invested ${MONEY} profit ${MONEY} gain ${MONEY} marketValue ${MONEY}`;
const VARIANT = '{ id variantName fcId product { id name number imageUrl } }';

/** REST's amount; the exact one has to be the same number. */
function money(amount: Item): Item {
  if (amount === null) return null;
  const { currency, value, decimal } = amount;
  if (Number(decimal) !== value) throw new Error(`${decimal} is not ${value}`);
  return { currency, value };
}

function amounts(node: Item) {
  return {
    quantity: node.quantity,
    cashPosition: money(node.cashPosition),
    invested: money(node.invested),
    profit: money(node.profit),
    gain: money(node.gain),
    marketValue: money(node.marketValue),
  };
}

function ofVariant({ id, variantName, fcId, product }: Item) {
  return {
    variantId: id,
    variantName,
    fcId,
    productId: product.id,
    productName: product.name,
    number: product.number,
    imageUrl: product.imageUrl,
  };
}

/** `Pack` for `PACK`. */
const inWords = (value: string) => value[0]! + value.slice(1).toLowerCase();

export interface Mapping {
  /** The list is a field of a collection. */
  isInCollection: boolean;
  selection: string;
  id: (node: Item) => string;
  restId: (body: Item) => string;
  toRest: (node: Item) => Item;
}

export const MAPPINGS = {
  collections: {
    isInCollection: false,
    selection: `{ id name valued pinned isGoalCollection description image ${AMOUNTS} }`,
    id: ({ id }) => id,
    restId: ({ collectionId }) => collectionId,
    toRest: ({ id, ...node }) => ({ ...node, collectionId: id, ...amounts(node) }),
  },
  transactions: {
    isInCollection: true,
    selection: `{ id occurred action quantity unitAmount ${MONEY} variant ${VARIANT} }`,
    id: ({ id }) => id,
    restId: ({ transactionId }) => transactionId,
    toRest: ({ id, variant, action, unitAmount, ...node }) => ({
      ...node,
      transactionId: id,
      action: inWords(action),
      unitAmount: money(unitAmount),
      ...ofVariant(variant),
    }),
  },
  transactionSummaries: {
    isInCollection: true,
    selection: `{ variant ${VARIANT} ${AMOUNTS} }`,
    id: ({ variant }) => variant.id,
    restId: ({ variantId }) => variantId,
    toRest: ({ variant, ...node }) => ({ ...amounts(node), ...ofVariant(variant) }),
  },
  productEvs: {
    isInCollection: false,
    selection: `{ id setType productType productId productImage productName fcId warning
      currentEstimatedValue ${MONEY} marketPrice ${MONEY} marketPriceDelta ${MONEY} }`,
    id: ({ id }) => id,
    restId: ({ setType, productType }) => `pev_${setType}_${productType}`,
    toRest: ({ id, ...node }) => ({
      ...node,
      productType: inWords(node.productType),
      currentEstimatedValue: money(node.currentEstimatedValue),
      marketPrice: money(node.marketPrice),
      marketPriceDelta: money(node.marketPriceDelta),
    }),
  },
  products: {
    isInCollection: false,
    selection: '{ id name imageUrl number }',
    id: ({ id }) => id,
    restId: ({ productId }) => productId,
    toRest: ({ id, ...node }) => ({ productId: id, ...node }),
  },
} as const satisfies Record<string, Mapping>;
