/**
 * The published pull rates, row by row as the publisher's pages list them, apart from data/pull-rates.json so that the
 * two can be compared: slot, finish, cards : packs (`-` where it is not published), rarity.
 */
const PAGES: Record<string, string> = {
  WTR: `
    base any - Fabled
    base foil 1:96 Legendary
    base normal 1:12 Majestic
    base normal 1:6 Super Rare
    base normal 1.75:1 Rare
    base normal 12:1 Common
    base normal 1:1 Token
    premium rainbow 1:1 Any
    cold cold 1:24 Any`,
  ARC: `
    base any - Fabled
    base foil 1:96 Legendary
    base normal 1:12 Majestic
    base normal 1:6 Super Rare
    base normal 1.75:1 Rare
    base normal 12:1 Common
    base normal 1:1 Token
    premium rainbow 1:1 Any
    cold cold 1:24 Any`,
  CRU: `
    base any - Fabled
    base any 1:240 Legendary
    base normal 1:4 Majestic
    base normal 1.75:1 Rare
    base normal 7:1 Common
    premium rainbow 1:1 Any
    cold cold 1:22 Any`,
  MON: `
    base any - Fabled
    base foil 1:96 Legendary
    base normal 1:4 Majestic
    base normal 1.75:1 Rare
    base normal 12:1 Common
    base normal 1:1 Token
    premium rainbow 1:1 Any
    cold cold 1:22 Any`,
  ELE: `
    base any - Fabled
    base foil 1:88 Legendary
    base normal 1:4 Majestic
    base normal 1.75:1 Rare
    base normal 12:1 Common
    base normal 1:1 Token
    premium rainbow 1:1 Any
    cold cold 1:20 Any`,
  EVR: `
    base any - Fabled
    base any 1:160 Legendary
    base normal 1:4 Majestic
    base normal 1:26 Majestic (Carnival theme)
    base normal 1.65:1 Rare
    base normal 7:1 Common
    premium rainbow 1:1 Any
    cold cold 1:16 Any`,
  '1HP': `
    base normal 1:82 Legendary
    base normal 1:3.15 Majestic
    base normal 1.65:1 Rare
    base normal 7:1 Common`,
  UPR: `
    base any - Fabled
    premium rainbow 1:80 Legendary
    cold cold 1:220 Legendary
    base normal 1:4 Majestic
    base normal 1.75:1 Rare
    base normal 11:1 Common
    base normal 1.75:1 Token
    premium rainbow 1:1 Any
    cold cold 1:24 Any
    marvel cold 1:110 Marvel`,
  DYN: `
    base any - Fabled
    marvel cold 1:96 Marvel
    premium rainbow 1:88 Legendary
    cold cold 1:280 Legendary
    base normal 1:4 Majestic
    base normal 1.75:1 Rare
    base normal 7:1 Common
    cold cold 1:24 Any
    premium rainbow 1:1 Any`,
  OUT: `
    base any - Fabled
    premium rainbow 1:70 Legendary
    cold cold 1:264 Legendary
    base normal 1:5 Majestic
    base normal 1.75:1 Rare
    base normal 11:1 Common
    base normal 1.75:1 Token
    premium rainbow 1:1 Any
    cold cold 1:24 Any
    marvel cold 1:390 Marvel`,
  DTD: `
    base any - Fabled
    base any 1:64 Legendary
    base normal 1:4 Majestic
    base normal 1.68:1 Rare
    base normal 7:1 Common
    premium rainbow 1:1 Any
    cold cold 1:24 Any
    marvel cold 1:100 Marvel`,
  EVO: `
    base any - Fabled
    base any 1:70 Legendary
    base normal 1:4 Majestic
    base normal 1.68:1 Rare
    base normal 11:1 Common
    base normal 1.8:1 Token
    premium rainbow 1:1 Any
    cold cold 1:24 Any
    marvel cold - Marvel`,
  HVY: `
    base normal 1:4 Majestic
    base normal 1.83:1 Rare
    base normal 11:1 Common
    base normal 1.85:1 Token
    premium rainbow 1:1 Any
    premium rainbow 1:96 Legendary
    premium rainbow 1:18 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:24 Any
    marvel cold 1:192 Marvel`,
  MST: `
    base normal 1:4 Majestic
    base normal 1.83:1 Rare
    base normal 11:1 Common
    base normal 1.84:1 Token
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:96 Legendary
    premium rainbow 1:18 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:24 Any
    marvel cold 1:100 Marvel`,
  ROS: `
    base normal 1:4 Majestic
    base normal 1.83:1 Rare
    base normal 11:1 Common
    base normal 1.54:1 Token
    base normal 6:24 Puzzle insert
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:96 Legendary
    premium rainbow 1:18 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:24 Any
    marvel cold - Marvel`,
  HNT: `
    base normal 1:4 Majestic
    base normal 1.83:1 Rare
    base normal 11:1 Common
    base normal 1.54:1 Token
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:96 Legendary
    premium rainbow 1:18 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:24 Any
    marvel cold - Marvel`,
  SEA: `
    base normal 1:4 Majestic
    base normal 1.83:1 Rare
    base normal 11:1 Common
    base normal - Basic
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:96 Legendary
    premium rainbow 1:18 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    marvel cold 1:60 Marvel`,
  SUP: `
    base normal 1:8 Majestic (set content)
    base normal 1:6 Majestic (expansion content)
    base normal 1:2.18 Super Rare
    base normal 1.42:1 Rare
    base normal 11:1 Common
    base normal - Basic
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:94 Legendary
    premium rainbow 1:22 Majestic
    premium rainbow 1:13 Super Rare
    premium rainbow 4:24 Rare
    premium rainbow 17:24 Common
    cold cold 1:24 Any`,
  PEN: `
    base normal 1:140 Legendary
    base normal 1:3.15 Majestic
    base normal 2.55:1 Rare
    base normal 5:1 Common
    premium rainbow 1:1 Any
    premium rainbow 1:24 Majestic
    premium rainbow 5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:8 Any
    marvel cold 1:96 Marvel`,
  OMN: `
    base normal 1:8 Majestic (set content)
    base normal 1:7 Majestic (expansion content)
    base normal 1.88:1 Rare
    base normal 11:1 Common
    base normal 1.8:1 Basic
    premium rainbow 1:1 Any
    premium rainbow - Fabled
    premium rainbow 1:96 Legendary
    premium rainbow 1:42 Majestic
    premium rainbow 5.5:24 Rare
    premium rainbow 18:24 Common
    cold cold 1:24 Any
    marvel cold - Marvel`,
};

export interface PublishedRow {
  slot: string;
  finish: string;
  /** Cards in this many packs, as printed; null where it is not published. */
  rate: { cards: string; packs: string } | null;
  rarity: string;
}

export const PUBLISHED_SET_CODES = Object.keys(PAGES);

export function publishedRows(setCode: string): PublishedRow[] {
  const lines = (PAGES[setCode] ?? '').trim().split('\n');
  return lines.map((line) => {
    const [slot, finish, rate, ...rarity] = line.trim().split(' ');
    const [cards, packs] = rate!.split(':');
    return {
      slot: slot!,
      finish: finish!,
      rate: packs === undefined ? null : { cards: cards!, packs },
      rarity: rarity.join(' '),
    };
  });
}
