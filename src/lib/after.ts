/** What `next` makes of a value: at once where the value is there already, so that what is at hand needs no promise. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
