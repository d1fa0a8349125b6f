import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { IMAGES, MADE_FROM, pageSources } from '../../scripts/page-sources.ts';
import { projectPath } from '../../src/paths.ts';
import { DOCUMENTS, readDocument } from '../support/readme-blocks.ts';

const pictures = () => readdirSync(projectPath(IMAGES)).filter((file) => file.endsWith('.webp'));

it('has pictures of the pages as they are now', () => {
  const { pageSources: shown } = JSON.parse(readFileSync(projectPath(MADE_FROM), 'utf8'));
  const advice = 'the pages were changed: run `npm run screenshots`, look at docs/images/, and commit it';
  expect(shown, advice).toBe(pageSources());
});

it('has small pictures, each in a document, light and dark', () => {
  const shown = DOCUMENTS.flatMap((file) =>
    [...readDocument(file).matchAll(/(?:src|srcset)="(?:docs\/)?images\/([^"]+)"/g)].map(([, name]) => name!),
  );
  expect([...new Set(shown)].sort()).toEqual(pictures().sort());
  const names = (scheme: string) =>
    pictures()
      .filter((name) => name.endsWith(`-${scheme}.webp`))
      .map((name) => name.replace(`-${scheme}`, ''));
  expect(names('dark')).toEqual(names('light'));
  const bytes = pictures().map((name) => statSync(projectPath(`${IMAGES}/${name}`)).size);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(1_000_000);
});
