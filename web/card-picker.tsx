import { useState } from 'preact/hooks';
import { Combobox } from './combobox.tsx';
import { FindCardsDocument, type FindCardsQuery } from './generated/graphql.ts';
import { inWords, Picture, Problem, Select, useSettled } from './parts.tsx';
import { useRead } from './use-read.ts';

type Product = NonNullable<FindCardsQuery['products']>['nodes'][number];
export type Variant = Product['variants'][number] & { product: Product };

/** Finds a card as one types, then asks for its finish and edition. */
export function CardPicker(props: {
  label: string;
  variant: Variant | null;
  onPick: (variant: Variant) => void;
}) {
  const [text, setText] = useState('');
  const settled = useSettled(text.trim(), 150);
  const [{ data, error, fetching }, again] = useRead({
    query: FindCardsDocument,
    variables: { text: settled },
    pause: settled === '',
  });
  const found = settled === '' || settled !== text.trim() ? undefined : data?.products;
  const options = (found?.nodes ?? [])
    .filter(({ variants }) => variants.length > 0)
    .map((product) => ({
      key: product.id,
      product,
      content: (
        <span class="option-card">
          <Picture url={product.imageUrl} />
          <span>
            <b>{product.name}</b>
            <small>
              {product.number} {product.rarity}
            </small>
          </span>
        </span>
      ),
    }));
  const { variant } = props;
  const pick = (product: Product, id: string) => {
    const own = product.variants.find((each) => each.id === id);
    if (own) props.onPick({ ...own, product });
  };
  return (
    <div class="picker">
      <Combobox
        label={props.label}
        placeholder="Name, number or search"
        text={text}
        onText={setText}
        options={options}
        onChoose={({ product }) => {
          setText(product.name);
          pick(product, product.variants[0]!.id);
        }}
      />
      {error && isOfQuery(error) && <p class="wrong">{inWords(error)}</p>}
      {error && !isOfQuery(error) && <Problem error={error} again={again} />}
      {found?.totalCount === 0 && !fetching && (
        <p class="wrong" role="status">
          No card matches.{' '}
          {found.didYouMean && (
            <button type="button" class="quiet" onClick={() => setText(found.didYouMean!)}>
              Search for “{found.didYouMean}”
            </button>
          )}
        </p>
      )}
      {variant && (
        <Select
          label="Finish and edition"
          values={Object.fromEntries(
            variant.product.variants.map(({ id, variantName }) => [id, variantName]),
          )}
          value={variant.id}
          onChange={(id) => pick(variant.product, id)}
        />
      )}
    </div>
  );
}

/** A text that the search cannot read yet, as it is still typed. */
function isOfQuery(error: Error): boolean {
  return inWords(error).startsWith('Column ');
}
