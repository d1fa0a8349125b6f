import { isOptional, restFields, restValue, selectionOf } from '../support/fields.ts';

/** How the answer of GraphQL, with every field that REST gives, becomes that of REST. */

// biome-ignore lint/suspicious/noExplicitAny: answers of either transport, whose shapes the tests compare
export type Item = any;

const OF_VARIANT = 'variant { id variantName fcId product { id name number imageUrl } }';

/** REST's amount; the exact one has to be the same number. */
function money({ currency, value, decimal }: Item): Item {
  if (Number(decimal) !== value) throw new Error(`${decimal} is not ${value}`);
  return { currency, value };
}

/** Nothing is said: what REST leaves out where it may. */
const isNothing = (value: Item) =>
  value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

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

function gradeOf({ certificate, ...grade }: Item) {
  return certificate === null ? grade : { ...grade, certificate };
}

interface Mapping {
  /** The list is a field of a collection. */
  isInCollection: boolean;
  selection: string;
  toRest: (node: Item) => Item;
  /** Of REST's item. */
  id: (body: Item) => string;
}

/** Fields of the same name are the same, whatever a list has; `hasVariant` says that REST shows those of the variant too. */
function mapping(
  type: string,
  model: string,
  id: Mapping['id'],
  { isInCollection = false, hasVariant = false } = {},
): Mapping {
  const inRest = ([field, value]: [string, Item]) => {
    if (value?.decimal !== undefined) return [field, money(value)];
    if (field === 'grade') return [field, gradeOf(value)];
    return [field, value === null ? null : restValue(type, model, field, value)];
  };
  const isShown = ([field, value]: [string, Item]) =>
    (!(field === 'collectionKind' && value === 'COLLECTION') && !isNothing(value)) ||
    !isOptional(model, field);
  return {
    isInCollection,
    selection: selectionOf(type, restFields(model), hasVariant ? OF_VARIANT : ''),
    toRest: ({ variant, ...node }) => ({
      ...Object.fromEntries(Object.entries(node).filter(isShown).map(inRest)),
      ...(hasVariant && ofVariant(variant)),
    }),
    id,
  };
}

const OF_COLLECTION = { isInCollection: true, hasVariant: true };

export const MAPPINGS = {
  collections: mapping('Collection', 'CollectionResponseModel', ({ collectionId }) => collectionId),
  transactions: mapping(
    'Transaction',
    'TransactionResponseModel',
    ({ transactionId }) => transactionId,
    OF_COLLECTION,
  ),
  transactionSummaries: mapping(
    'TransactionSummary',
    'TransactionSummaryResponseModel',
    ({ variantId }) => variantId,
    OF_COLLECTION,
  ),
  productEvs: mapping(
    'ProductEv',
    'ProductEvResponseModel',
    ({ setType, productType }) => `${setType} ${productType}`,
  ),
  products: mapping('Product', 'ProductSearchResponseModel', ({ productId }) => productId),
};
