/**
 * What a transaction came to in the currency of its collection: of a purchase all that was paid for it, of a sale what was left
 * of it (docs/decisions.md#fees-and-shipping). `amountOf` of domain/cost-basis.ts says the same, and so
 * do `change_by` and `changes_by` of the database.
 *
 * @param t the alias of the row, with a point behind it, where it needs one
 */
export const cameTo = (t: '' | 't.' = '') => `((${t}quantity * ${t}unit_amount
    + case when ${t}action = 'Purchase' then ${t}fees + ${t}shipping else -(${t}fees + ${t}shipping) end) * ${t}rate)`;
