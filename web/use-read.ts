import { type AnyVariables, type UseQueryArgs, type UseQueryState, useQuery } from '@urql/preact';
import { useCallback, useEffect } from 'preact/hooks';
import { onChange } from './live.ts';

/** What a query gives, and a way to read it again. */
export type Reading<Data, Variables extends AnyVariables> = [UseQueryState<Data, Variables>, () => void];

/** As `useQuery`; what could not be read is read again at the next change, as the cache, which has nothing of it, sees none. */
export function useRead<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Reading<Data, Variables> {
  const [state, execute] = useQuery<Data, Variables>(args);
  const again = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const { error } = state;
  useEffect(() => (error ? onChange(again) : undefined), [error, again]);
  return [state, again];
}
