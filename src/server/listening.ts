import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { CliError } from './errors.ts';

type Address = Pick<Config, 'host' | 'port'>;

/** Throws where nothing can listen at the address, and says why. */
export async function assertCanListen(address: Address): Promise<void> {
  const server = createServer();
  server.listen(address.port, address.host);
  await once(server, 'listening').catch((error) => {
    throw explainedListenError(error, address);
  });
  server.close();
  await once(server, 'close');
}

export function explainedListenError(error: NodeJS.ErrnoException, { host, port }: Address): Error {
  const why = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no address is known by this name',
    EAI_AGAIN: 'the name could not be looked up',
  }[error.code ?? ''];
  if (!why) return error;
  return new CliError(
    'CannotListen',
    `Cannot listen on ${host}, port ${port}: ${why}. Set PORT or HOST to others.`,
    { cause: error },
  );
}
