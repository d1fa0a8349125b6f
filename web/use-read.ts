import { type AnyVariables, type UseQueryArgs, type UseQueryState, useQuery } from '@urql/preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { onChange } from './live.ts';

/** What a query gives, and a way to read it again. */
export type Reading<Data, Variables extends AnyVariables> = [UseQueryState<Data, Variables>, () => void];

/**
 * As `useQuery`; what could not be read is read again at the next change, too: the cache may have nothing of it by which it would know.
 * What changes while it is under way has it read once more.
 */
export function useRead<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Reading<Data, Variables> {
  const [state, execute] = useQuery<Data, Variables>(args);
  const again = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const { error, fetching } = state;
  const { pause } = args;
  const isBehind = useRef(false);
  useEffect(() => {
    if (!fetching && isBehind.current) {
      isBehind.current = false;
      again();
    }
    if (!error || pause) return;
    return onChange(() => {
      if (fetching) isBehind.current = true;
      else again();
    });
  }, [error, fetching, pause, again]);
  return [state, again];
}
