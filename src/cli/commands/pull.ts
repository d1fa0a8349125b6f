import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import { dateOf } from '../../domain/dates.ts';
import { CliError, messageOf } from '../../server/errors.ts';
import type { Pulled, PullKind } from '../../services/market/pull.ts';
import { packageVersion } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { runImport } from './import.ts';

interface PullFlags {
  baseUrl?: string;
  dryRun?: boolean;
}

interface PullCommand {
  name: string;
  alias?: string;
  kind: PullKind;
  baseUrl: (config: Config) => string;
  setting: string;
  description: string;
}

const COMMANDS: readonly PullCommand[] = [
  {
    name: 'prices',
    kind: 'prices',
    baseUrl: ({ pullPricesUrl }) => pullPricesUrl,
    setting: 'PULL_PRICES_URL',
    description: 'Load the market prices of all groups of TCGCSV.',
  },
  {
    name: 'exchange-rates',
    alias: 'rates',
    kind: 'rates',
    baseUrl: ({ pullRatesUrl }) => pullRatesUrl,
    setting: 'PULL_RATES_URL',
    description: "Load the ECB's exchange rates since 1999.",
  },
];

export function addPullCommands(program: Command, cli: Cli): void {
  const group = program
    .command('pull')
    .description('download market data and load it; what did not change is not downloaded again');
  for (const pull of COMMANDS) {
    const { name, alias, setting, description } = pull;
    const command = group.command(name);
    if (alias) command.alias(alias);
    command
      .description(description)
      .option('--base-url <url>', `where to download from, in place of ${setting}`)
      .option('--dry-run', 'download, show what would change, and undo it')
      .addHelpText(
        'after',
        examples(`pull ${name}`, [`pull ${name} --base-url http://127.0.0.1:8080`, 'from a mirror']),
      )
      .action((flags: PullFlags) => run(cli, pull, flags));
  }
}

async function run(cli: Cli, command: PullCommand, { dryRun = false, ...flags }: PullFlags): Promise<void> {
  const config = await cli.config();
  const baseUrl = flags.baseUrl ?? command.baseUrl(config);
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CliError('InvalidUsage', `--base-url: expected an http or https address, found "${baseUrl}".`);
  }
  const { PULLS } = await import('../../services/market/pull.ts');
  const options = {
    baseUrl,
    dataDir: config.dataDir,
    version: packageVersion(),
    today: dateOf(cli.io.now()),
    onRetry: cli.output.note,
  };
  const { write, about } = await cli.withProgress((progress) =>
    explainingFailure(() => PULLS[command.kind]({ ...options, progress })),
  );
  await runImport(cli, write, dryRun, { kind: command.name, baseUrl, ...about });
}

async function explainingFailure(work: () => Promise<Pulled>): Promise<Pulled> {
  try {
    return await work();
  } catch (error) {
    throw new CliError('DownloadFailed', messageOf(error), { cause: error });
  }
}
