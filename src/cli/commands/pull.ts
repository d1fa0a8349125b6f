import { join } from 'node:path';
import type { Command } from 'commander';
import type { Download } from '../../importers/download.ts';
import type { ByteSource } from '../../importers/import-file.ts';
import { CliError, messageOf } from '../../server/errors.ts';
import { packageVersion } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { dayOf, preparePrices, prepareRates } from '../import-kinds.ts';
import { runImport } from './import.ts';

const TCGCSV = 'https://tcgcsv.com';
const ECB = 'https://www.ecb.europa.eu/stats/eurofxref';

interface PullFlags {
  baseUrl: string;
  dryRun?: boolean;
}

export function addPullCommands(program: Command, cli: Cli): void {
  const group = program
    .command('pull')
    .description('download market data and load it; what did not change is not downloaded again');
  const kinds = [
    {
      name: 'prices',
      baseUrl: TCGCSV,
      description: 'Load the market prices of all groups of TCGCSV.',
      pull: pullPrices,
    },
    {
      name: 'exchange-rates',
      alias: 'rates',
      baseUrl: ECB,
      description: "Load the ECB's exchange rates since 1999.",
      pull: pullRates,
    },
  ];
  for (const { name, alias, baseUrl, description, pull } of kinds) {
    const command = group.command(name);
    if (alias) command.alias(alias);
    command
      .description(description)
      .option('--base-url <url>', 'where to download from', baseUrl)
      .option('--dry-run', 'download, show what would change, and undo it')
      .addHelpText(
        'after',
        examples(`pull ${name}`, [`pull ${name} --base-url http://127.0.0.1:8080`, 'from a mirror']),
      )
      .action((flags: PullFlags) => pull(cli, flags));
  }
}

/** TCGCSV's paths: the groups of the game, then products and prices of each. */
async function pullPrices(cli: Cli, { baseUrl, dryRun = false }: PullFlags): Promise<void> {
  const { FLESH_AND_BLOOD, readTcgcsv, readTcgcsvGroups } = await import('../../importers/tcgcsv.ts');
  const get = await downloader(cli, baseUrl);
  const game = `tcgplayer/${FLESH_AND_BLOOD}`;
  const groups = await readTcgcsvGroups(await get(`${game}/groups`, readTcgcsvGroups));
  const downloads: Download[] = [];
  await cli.withProgress(async (progress) => {
    for (const [i, { groupId }] of groups.entries()) {
      downloads.push(await get(`${game}/${groupId}/products`, readTcgcsv));
      downloads.push(await get(`${game}/${groupId}/prices`, readTcgcsv));
      progress('groups', i + 1, groups.length);
    }
  });
  const write = await preparePrices(downloads, [baseUrl], dayOf({ now: cli.io.now }));
  await runImport(cli, write, dryRun, {
    kind: 'prices',
    baseUrl,
    groups: groups.length,
    ...changesOf(downloads),
  });
}

/** The history as CSV, or where that is not there in the archive that the ECB itself offers. */
async function pullRates(cli: Cli, { baseUrl, dryRun = false }: PullFlags): Promise<void> {
  const { DownloadError } = await import('../../importers/download.ts');
  const { readEcbRates } = await import('../../importers/ecb-rates.ts');
  const get = await downloader(cli, baseUrl);
  const today = dayOf({ now: cli.io.now });
  const check = (source: ByteSource) => readEcbRates(source, today);
  const file = await get('eurofxref-hist.csv', check).catch((error) => {
    const isMissing = error.cause instanceof DownloadError && error.cause.status === 404;
    if (!isMissing) throw error;
    return get('eurofxref-hist.zip', check);
  });
  const write = await prepareRates([file], [baseUrl], today);
  await runImport(cli, write, dryRun, { kind: 'exchange-rates', baseUrl, ...changesOf([file]) });
}

function changesOf(downloads: readonly Download[]) {
  const notModified = downloads.filter((download) => download.notModified).length;
  return { downloaded: downloads.length - notModified, notModified };
}

type Get = (path: string, check: (source: ByteSource) => Promise<unknown>) => Promise<Download>;

/** Gets paths below the base address; what was downloaded is kept in `DATA_DIR/pull-cache`. */
async function downloader(cli: Cli, baseUrl: string): Promise<Get> {
  const { download } = await import('../../importers/download.ts');
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CliError('InvalidUsage', `--base-url: expected an http or https address, found "${baseUrl}".`);
  }
  const options = {
    cacheFolder: join((await cli.config()).dataDir, 'pull-cache'),
    userAgent: `cardledger/${packageVersion()} (market data import for a card collection service)`,
    onRetry: cli.output.note,
  };
  return async (path, check) => {
    try {
      return await download(`${baseUrl.replace(/\/+$/, '')}/${path}`, check, options);
    } catch (error) {
      throw new CliError('DownloadFailed', messageOf(error), { cause: error });
    }
  };
}
