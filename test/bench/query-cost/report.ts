import { median } from '../database.ts';

export interface Measured {
  /** Transactions of a collection. */
  size: number;
  /** An operation of GraphQL, a route of REST, or the operation that does the same as that. */
  kind: 'query' | 'change' | 'route' | 'equivalent';
  name: string;
  /** Points. */
  cost: number;
  /** Of processor time, that of the smallest query taken off; `database` is what the back ends had of it. */
  millis: number;
  database: number;
  /** Until it was answered. */
  wall: number;
  /** Processor time of the longest turn of the event loop, and of that when it was first asked. */
  turn: number;
  firstTurn?: number;
  /** Of errors and failures. */
  codes: string[];
}

/** The dearest are to be within so much of each other. */
const BOUND = 10;
const LONG_TURN_MILLIS = 50;
const LONG_MILLIS = 2000;

/** Milliseconds for 1,000 points. */
export const perThousand = ({ millis, cost }: Pick<Measured, 'millis' | 'cost'>) =>
  (millis * 1000) / Math.max(cost, 1);
const shown = (millis: number) => `${millis.toFixed(millis < 10 ? 1 : 0)} ms`;

/** By processor time for 1,000 points, with the ratio of the dearest to the last of them; and what holds others up. */
export function report(all: readonly Measured[], top: number): string {
  const sizes = [...new Set(all.map(({ size }) => size))].sort((a, b) => a - b);
  const priced = all.filter(
    ({ kind, codes }) => kind !== 'route' && kind !== 'equivalent' && codes.length === 0,
  );
  const dearest = sizes.map((size) => dearestOf(priced.filter((one) => one.size === size)).slice(0, top));
  return [
    ...sizes.map((size, i) => ofSize(size, all, dearest[i]!)),
    `\nOver all sizes: ${ratioOf(dearest.flat())}`,
    routesOf(all.filter(({ kind }) => kind === 'route' || kind === 'equivalent')),
    listOf(
      'Turns of the event loop above 50 ms of processor time',
      all,
      ({ turn }) => turn > LONG_TURN_MILLIS,
    ),
    listOf('Answers after more than 2 s', all, ({ wall }) => wall > LONG_MILLIS),
    listOf(
      'Broken off',
      all,
      ({ codes }) => codes.includes('TooMuchWork') || codes.includes('ANSWER_TOO_LARGE'),
    ),
    listOf('Failed', all, ({ codes }) =>
      codes.some((code) => !/^(COST_LIMIT|ALIAS_LIMIT|TooMuchWork|ANSWER_TOO_LARGE)$/.test(code)),
    ),
  ].join('\n');
}

const dearestOf = (all: readonly Measured[]) => [...all].sort((a, b) => perThousand(b) - perThousand(a));

function ratioOf(dearest: readonly Measured[]): string {
  if (dearest.length === 0) return 'nothing was measured';
  const each = dearest.map(perThousand);
  const [most, least] = [Math.max(...each), Math.min(...each)];
  const verdict = most / least <= BOUND ? 'within' : 'beyond';
  return `the dearest take ${most.toFixed(0)} to ${least.toFixed(0)} ms for 1,000 points, ${(most / least).toFixed(1)} ×, ${verdict} the bound of ${BOUND} ×`;
}

function ofSize(size: number, all: readonly Measured[], dearest: readonly Measured[]): string {
  const own = all.filter((one) => one.size === size && (one.kind === 'query' || one.kind === 'change'));
  const allowed = own.filter(({ codes }) => codes.length === 0);
  const middle = median(allowed.map(perThousand)) ?? 0;
  const rows = dearest.map(
    (one) =>
      `| ${one.name} | ${one.cost} | ${shown(one.millis)} (${shown(one.database)}) | ${perThousand(one).toFixed(0)} ms | ${(perThousand(one) / middle).toFixed(1)} |`,
  );
  return [
    `\nCollections of ${size} transactions: ${allowed.length} operations, ${own.length - allowed.length} refused in whole or part; the median takes ${middle.toFixed(1)} ms for 1,000 points; ${ratioOf(dearest)}\n`,
    '| operation | points | processor time (of the database) | for 1,000 points | ÷ median |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function routesOf(all: readonly Measured[]): string {
  const rows = all
    .filter(({ kind }) => kind === 'route')
    .map((route) => {
      const same = all.find(
        ({ kind, name, size }) => kind === 'equivalent' && name === route.name && size === route.size,
      );
      const beside = same
        ? `${shown(same.millis)} | ${same.cost} | ${((route.millis * 1000) / Math.max(same.cost, 1)).toFixed(0)} ms`
        : ' | | ';
      return `| ${route.size} | ${route.name} | ${shown(route.millis)} | ${beside} |`;
    });
  return [
    '\n| transactions | route | processor time | of the same by GraphQL | its points | REST for 1,000 of those |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function listOf(title: string, all: readonly Measured[], isListed: (one: Measured) => boolean): string {
  const lines = all
    .filter(isListed)
    .map(
      ({ size, name, cost, millis, wall, turn, firstTurn, codes }) =>
        `- ${size}: ${name}: ${cost} points, ${shown(millis)}, answered after ${shown(wall)}, longest turn ${shown(turn)} (at first ${shown(firstTurn ?? turn)}) ${codes.join('; ')}`,
    );
  return [`\n${title}: ${lines.length}`, ...lines].join('\n');
}
