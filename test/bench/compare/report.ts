import type { Growth } from './growth.ts';
import { percentile } from './load.ts';
import type { ServerName, Workload } from './workloads.ts';

export interface Measured {
  workload: string;
  server: ServerName;
  perSecond: number;
  medianMillis: number;
  p99Millis: number;
  /** Milliseconds of CPU of the server, and of PostgreSQL, for a request. */
  cpuMillis: number;
  databaseCpuMillis: number;
}

interface Results {
  workloads: readonly Workload[];
  rounds: readonly Measured[];
  growth: readonly Growth[];
  processes: readonly { server: ServerName; startMillis: number; residentMegabytes: number }[];
}

type Figures = Omit<Measured, 'workload' | 'server'>;

interface Comparison {
  workload: string;
  servers: Partial<Record<ServerName, Figures>>;
  /** The product's requests a second over another's. */
  ratios: Partial<Record<ServerName, number>>;
  targets: Workload['target'];
}

/** The medians over the rounds and their ratios, as JSON or as tables for people. */
export function printed({ workloads, rounds, growth, processes }: Results, asJson: boolean): string {
  const comparisons = workloads
    .map((workload) => comparisonOf(workload, rounds))
    .filter(({ servers }) => servers.product);
  if (asJson) return `${JSON.stringify({ comparisons, growth, processes }, null, 2)}\n`;
  return [...comparisons.map(tableOf), growthTable(growth), processTable(processes)].join('\n');
}

function comparisonOf({ name, sides, target }: Workload, rounds: readonly Measured[]): Comparison {
  const servers: Comparison['servers'] = {};
  for (const server of Object.keys(sides) as ServerName[]) {
    const own = rounds.filter((round) => round.workload === name && round.server === server);
    if (own.length > 0) servers[server] = mediansOf(own);
  }
  const ratios: Comparison['ratios'] = {};
  for (const server of ['floor', 'postgraphile', 'mercurius'] as const) {
    const other = servers[server];
    if (other && servers.product) ratios[server] = servers.product.perSecond / other.perSecond;
  }
  return { workload: name, servers, ratios, targets: target };
}

const FIGURES = ['perSecond', 'medianMillis', 'p99Millis', 'cpuMillis', 'databaseCpuMillis'] as const;

function mediansOf(rounds: readonly Measured[]): Figures {
  const median = (figure: (typeof FIGURES)[number]) =>
    percentile(
      rounds.map((round) => round[figure]).sort((a, b) => a - b),
      0.5,
    );
  return Object.fromEntries(FIGURES.map((figure) => [figure, median(figure)])) as unknown as Figures;
}

function tableOf({ workload, servers, ratios, targets }: Comparison): string {
  const lines = (Object.entries(servers) as [ServerName, Figures][]).map(([server, figures]) => {
    const target = targets[server as 'floor' | 'postgraphile'];
    const ratio = ratios[server];
    return [
      server.padEnd(12),
      figures.perSecond.toFixed(0).padStart(8),
      figures.medianMillis.toFixed(2).padStart(9),
      figures.p99Millis.toFixed(2).padStart(9),
      figures.cpuMillis.toFixed(3).padStart(9),
      figures.databaseCpuMillis.toFixed(3).padStart(9),
      ratio === undefined ? '' : ratio.toFixed(2).padStart(8),
      target === undefined ? '' : `(wanted ${target})`,
    ].join(' ');
  });
  const head = 'server         req/s    median       p99   cpu ms db cpu ms  product/it';
  return `\n${workload}\n${head}\n${lines.join('\n')}\n`;
}

function growthTable(growth: readonly Growth[]): string {
  const lines = growth.map(
    ({ name, medianMillis, p99Millis, ratio, wanted }) =>
      `${name.padEnd(60)} ${medianMillis.toFixed(2).padStart(9)} ${p99Millis.toFixed(2).padStart(9)} ${(ratio?.toFixed(2) ?? '').padStart(7)} ${wanted}`,
  );
  return `\none connection${' '.repeat(46)}    median       p99   ratio\n${lines.join('\n')}\n`;
}

function processTable(processes: Results['processes']): string {
  const lines = processes.map(
    ({ server, startMillis, residentMegabytes }) =>
      `${server.padEnd(12)} first answer after ${startMillis.toFixed(0)} ms, ${residentMegabytes.toFixed(0)} MB after the run`,
  );
  return `\n${lines.join('\n')}\n`;
}
