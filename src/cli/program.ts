import { Command, CommanderError } from 'commander';
import { CliError } from '../server/errors.ts';
import { packageVersion } from '../version.ts';
import { type Cli, createCli } from './cli.ts';
import { addAccountCommands } from './commands/account.ts';
import { addClientCommands } from './commands/client.ts';
import { addCollectionCommands } from './commands/collection.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addImportCommands } from './commands/import.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addProviderCommands } from './commands/provider.ts';
import { addPullCommands } from './commands/pull.ts';
import { addServerCommands } from './commands/server.ts';
import { addTransactionsCommands } from './commands/transactions.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import type { Io } from './output.ts';

const NOTES = `
Settings (environment):
  DATABASE_URL  a PostgreSQL (15 or later), such as postgres://user:password@host/cardledger;
                without it, the embedded database in DATA_DIR
  DATABASE_REPLICA_URLS
                standbys of it that "serve" may read from, with commas between them
  DATA_DIR      directory of the embedded database (default ./data); one process at a time
  LOG_LEVEL     "debug" adds the stack to the message of a defect

Results go to standard output, everything else to standard error. The exit code is 0, or 1 on
failure. With --json the result is one line of JSON, and so is an error: {"error":{"code","message"}}.

Example, from nothing to an access token:
  cardledger migrate
  cardledger account create "Card shop"
  cardledger client create acc_... "Web shop"
  cardledger serve
  curl http://127.0.0.1:4000/oauth2/token -d grant_type=client_credentials -d scope=default \\
    -d client_id=cli_... -d client_secret=cls_...

In a clone of the repository "npm run -s cli --" stands for "cardledger".`;

/** Runs the command line and gives its exit code. `serve` goes on after that, until the process is told to stop. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const cli = createCli(io, args.includes('--json'));
  const program = createProgram(cli);
  try {
    await program.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) cli.fail(error);
    else if (isHelp(error)) return error.exitCode;
    else cli.fail(usageError(error, program, args));
    return 1;
  }
}

function createProgram(cli: Cli): Command {
  const program = new Command('cardledger')
    .description('GraphQL and REST API for trading-card collections: server and administration.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help; also for each command')
    .helpCommand('help [command]', 'show help for a command')
    .option('--json', 'results and errors as one line of JSON, for programs')
    .addHelpText('after', NOTES)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      writeErr: (text) => cli.io.stderr.write(text),
      // The error is thrown, and told with all others in `run`.
      outputError: () => {},
    })
    .exitOverride();
  addServerCommands(program, cli);
  addAccountCommands(program, cli);
  addClientCommands(program, cli);
  addProviderCommands(program, cli);
  addKeysCommands(program, cli);
  addImportCommands(program, cli);
  addPullCommands(program, cli);
  addCollectionCommands(program, cli);
  addTransactionsCommands(program, cli);
  addWebhookCommands(program, cli);
  addDoctorCommand(program, cli);
  return program;
}

function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

/** commander's message, with its "Did you mean", in one line, and where the help for it is. */
function usageError(error: CommanderError, program: Command, args: readonly string[]): CliError {
  const message = error.message.replace(/^error: /, '').replace(/\.?$/, '');
  return new CliError('InvalidUsage', `${message}. See: ${commandIn(program, args)} --help`);
}

/** The deepest command that the arguments name, such as `cardledger client create`. */
function commandIn(program: Command, args: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const arg of args) {
    const next = command.commands.find(
      (candidate) => candidate.name() === arg || candidate.aliases().includes(arg),
    );
    if (!next) continue;
    command = next;
    names.push(next.name());
  }
  return names.join(' ');
}
