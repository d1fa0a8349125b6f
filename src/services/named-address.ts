import { validationFailed } from '../domain/errors.ts';
import { parseNetworks } from '../lib/networks.ts';
import { assertMayBeGood } from '../lib/public-address.ts';
import type { Context } from './context.ts';

const PUBLIC_ONLY = parseNetworks('');

/** Throws `ValidationFailed` where the address in the field may not be asked; a name is looked up when it is. */
export function assertMayAsk(
  { outboundNetworks = PUBLIC_ONLY }: Context,
  address: string,
  field: string,
): void {
  try {
    assertMayBeGood(new URL(address), outboundNetworks);
  } catch (error) {
    throw validationFailed([{ path: [field], detail: (error as Error).message }]);
  }
}
