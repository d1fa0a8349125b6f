import { PRODUCT_TYPES, type ProductType } from './catalogue.ts';

/** Pictures of products. Addresses that begin with a slash are of this service, all others of who has the picture. */

export const PICTURE_SIZES = ['Small', 'Medium', 'Large'] as const;
export type PictureSize = (typeof PICTURE_SIZES)[number];

/** Of the vendor: 200 and 400 pixels wide, and at most 1,000 wide and high. */
const VENDOR_SIZES: Record<PictureSize, string> = { Small: '200w', Medium: '400w', Large: 'in_1000x1000' };
const VENDOR_PICTURE = /^(https:\/\/tcgplayer-cdn\.tcgplayer\.com\/product\/\d+_)200w(\.jpg)$/;

/** The address of a picture in a size; those that come in one alone stay as they are. */
export function pictureOfSize(imageUrl: string, size: PictureSize): string {
  return imageUrl.replace(VENDOR_PICTURE, `$1${VENDOR_SIZES[size]}$2`);
}

const SET_CODE = /^[a-z0-9]{1,10}$/;

/** How each kind of package is drawn, in a field of 200 by 280. */
const OUTLINES: Record<ProductType, string> = {
  Pack: '<path d="M40 20h120v12l-4 6v204l4 6v12H40v-12l4-6V38l-4-6z"/><path d="M44 46h112M44 234h112"/>',
  Box: '<path d="M20 90l24-34h112l24 34v140H20z"/><path d="M20 90h160M100 56v34"/>',
  Case: '<path d="M16 70h168v170H16z"/><path d="M16 110h168M86 70v58h28V70"/>',
};

/**
 * A drawing, as SVG, of what is sealed: its kind and the code of its set, both in small letters as in addresses. Undefined for what there is
 * none of.
 */
export function sealedDrawing(setCode: string, kind: string): string | undefined {
  const type = PRODUCT_TYPES.find((one) => one.toLowerCase() === kind);
  if (!type || !SET_CODE.test(setCode)) return undefined;
  const name = setCode.toUpperCase();
  const hue = [...name].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 360, 7);
  const size = Math.min(44, Math.floor(150 / name.length));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 280" width="200" height="280" role="img" aria-label="${name} ${kind}">
<rect width="200" height="280" rx="10" fill="hsl(${hue} 30% 92%)"/>
<g fill="hsl(${hue} 45% 62%)" stroke="hsl(${hue} 45% 28%)" stroke-width="4" stroke-linejoin="round">${OUTLINES[type]}</g>
<g fill="hsl(${hue} 60% 14%)" font-family="system-ui, sans-serif" text-anchor="middle"><text x="100" y="172" font-size="${size}" font-weight="700">${name}</text>
<text x="100" y="204" font-size="20">${type}</text></g>
</svg>
`;
}
