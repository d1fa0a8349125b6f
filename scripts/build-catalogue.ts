/** Builds data/catalogue.json.gz from the cards' package and data/pull-rates.json. */

import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { EDITIONS } from '../src/domain/catalogue.ts';
import { type BuiltProduct, buildProducts, type SealedSet } from '../src/importers/catalogue-products.ts';
import { encodeContent, pack } from './catalogue/encode.ts';
import { readFaces, readReleaseDates } from './catalogue/source.ts';

const PULL_RATES = new URL('../data/pull-rates.json', import.meta.url);
const CATALOGUE = new URL('../data/catalogue.json.gz', import.meta.url);

const pullRatesSchema = z.object({
  sets: z.array(
    z.object({
      setType: z.string(),
      setCode: z.string(),
      setName: z.string(),
      edition: z.enum(EDITIONS).nullable(),
      releaseDate: z.iso.date().nullable(),
    }),
  ),
});

/** The content of the catalogue file, made from the installed package. */
export async function buildContent(): Promise<string> {
  const built = buildProducts(readFaces(), readReleaseDates(), await readSealedSets());
  assertUnique(built);
  return encodeContent(built, packageVersion());
}

async function readSealedSets(): Promise<SealedSet[]> {
  return pullRatesSchema.parse(JSON.parse(await readFile(PULL_RATES, 'utf8'))).sets;
}

function packageVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = z.object({ version: z.string() }).parse(require('@flesh-and-blood/cards/package.json'));
  return `@flesh-and-blood/cards ${version}`;
}

/** Two equal ids would make one product or variant replace another when the catalogue is loaded. */
function assertUnique(built: BuiltProduct[]): void {
  const seen = new Set<string>();
  const variants = built.flatMap(({ product }) => product.variants);
  const codes = [
    ...built.map(({ product }) => product.productId),
    ...variants.flatMap(({ variantId, fcId }) => [variantId, fcId]),
  ];
  for (const code of codes) {
    if (seen.has(code)) throw new Error(`${code} occurs twice in the catalogue; make it unique`);
    seen.add(code);
  }
}

async function main(): Promise<void> {
  const content = await buildContent();
  const packed = pack(content);
  await writeFile(CATALOGUE, packed);
  process.stdout.write(
    `data/catalogue.json.gz: ${content.length} characters, ${packed.length} bytes packed\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
