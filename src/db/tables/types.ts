import { customType } from 'drizzle-orm/pg-core';

/** Ids compare byte by byte: quicker than by language, and the same on every server. */
export const idText = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

/** Names order by Unicode collation: `Éclair` next to `eclair` (docs/decisions.md#orders). */
export const nameText = customType<{ data: string }>({ dataType: () => 'text COLLATE "und-x-icu"' });

/** An exact decimal, as text. */
export const decimal = customType<{ data: string }>({ dataType: () => 'numeric' });
