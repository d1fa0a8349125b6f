import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { fields } from '../output.ts';

export function addKeysCommands(program: Command, cli: Cli): void {
  const group = program.command('keys').description('the keys that sign access tokens');
  group
    .command('rotate')
    .description(
      'Add a signing key. It is published first and signs some minutes later, so that no token is refused; ' +
        'the old one is removed by a later rotation, when its last token has expired.',
    )
    .addHelpText('after', examples('keys rotate', 'keys rotate --json'))
    .action(() => rotate(cli));
}

async function rotate(cli: Cli): Promise<void> {
  const { rotateSigningKey } = await import('../../auth/keys.ts');
  const { keyId, signsFrom } = await cli.withDatabase((db) => rotateSigningKey(db, cli.io.now()));
  cli.output.result({ keyId, signsFrom }, fields({ Key: keyId, 'Signs from': signsFrom.toISOString() }));
}
