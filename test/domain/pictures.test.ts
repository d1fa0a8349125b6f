import { describe, expect, it } from 'vitest';
import { pictureOfSize, sealedDrawing } from '../../src/domain/pictures.ts';

const VENDORS = 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg';

describe('pictureOfSize', () => {
  it.each([
    ['Small', '200w'],
    ['Medium', '400w'],
    ['Large', 'in_1000x1000'],
  ] as const)('%s', (size, ending) => {
    expect(pictureOfSize(VENDORS, size)).toBe(VENDORS.replace('200w', ending));
  });

  it.each(['', '/pictures/mon/box.svg', 'https://example.com/ARC001.webp', `${VENDORS}?200w.jpg`])(
    'leaves "%s" as it is',
    (imageUrl) => {
      expect(pictureOfSize(imageUrl, 'Large')).toBe(imageUrl);
    },
  );
});

describe('sealedDrawing', () => {
  it('is of a set and a kind, and the same each time', () => {
    for (const kind of ['pack', 'box', 'case']) {
      const drawing = sealedDrawing('mon', kind)!;
      expect(drawing).toContain(`aria-label="MON ${kind}"`);
      expect(drawing).toBe(sealedDrawing('mon', kind));
    }
    expect(new Set(['pack', 'box', 'case'].map((kind) => sealedDrawing('mon', kind))).size).toBe(3);
    expect(sealedDrawing('arc', 'box')).not.toBe(sealedDrawing('mon', 'box'));
  });

  it.each([
    ['mon', 'Box'],
    ['mon', 'crate'],
    ['', 'box'],
    ['MON', 'box'],
    ['abcdefghijk', 'box'],
    ['"><script>', 'box'],
  ])('is none of %s, %s', (set, kind) => {
    expect(sealedDrawing(set, kind)).toBeUndefined();
  });

  it('takes a code of ten characters', () => {
    expect(sealedDrawing('abcdefghij', 'box')).toContain('ABCDEFGHIJ');
  });
});
