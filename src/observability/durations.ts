import type { Metric, Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Label = string | number;

interface Options<Names extends readonly string[]> {
  name: string;
  help: string;
  labelNames: Names;
  registry: Registry;
}

type Child = Map<Label, Child> | Counts;

class Counts {
  readonly labels: Readonly<Record<string, string>>;
  /** By bucket, each without those below it; the last is of what is beyond all bounds. */
  readonly buckets = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  constructor(labels: Record<string, string>) {
    this.labels = labels;
  }

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    this.buckets[bucket]!++;
    this.sum += seconds;
  }
}

/**
 * A histogram of durations as Prometheus reads it. prom-client's own checks and sorts the labels of each observation,
 * which took longer than all else that is counted of a request.
 */
export class Durations<const Names extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  readonly #names: Names;
  readonly #root: Child = new Map();
  readonly #all: Counts[] = [];

  constructor({ name, help, labelNames, registry }: Options<Names>) {
    this.name = name;
    this.help = help;
    this.#names = labelNames;
    registry.registerMetric(this as unknown as Metric<string>);
  }

  observe(seconds: number, ...labels: { [Name in keyof Names]: Label }): void {
    let child: Child = this.#root;
    for (let i = 0; i < labels.length; i++) {
      const parent = child as Map<Label, Child>;
      child = parent.get(labels[i]!) ?? this.#add(parent, labels, i);
    }
    (child as Counts).add(seconds);
  }

  /** As prom-client's registry reads its metrics. */
  async get() {
    const values = this.#all.flatMap(({ labels, buckets, sum }) => {
      let count = 0;
      const upTo = [...buckets].map((more, i) => {
        count += more;
        return {
          labels: { le: BOUNDS[i] ?? '+Inf', ...labels },
          value: count,
          metricName: `${this.name}_bucket`,
        };
      });
      return [
        ...upTo,
        { labels, value: sum, metricName: `${this.name}_sum` },
        { labels, value: count, metricName: `${this.name}_count` },
      ];
    });
    return { name: this.name, help: this.help, type: 'histogram', aggregator: this.aggregator, values };
  }

  #add(parent: Map<Label, Child>, labels: readonly Label[], depth: number): Child {
    const isLast = depth === labels.length - 1;
    const child = isLast ? this.#newCounts(labels) : new Map<Label, Child>();
    parent.set(labels[depth]!, child);
    return child;
  }

  #newCounts(labels: readonly Label[]): Counts {
    const counts = new Counts(Object.fromEntries(this.#names.map((name, i) => [name, String(labels[i])])));
    this.#all.push(counts);
    return counts;
  }
}
