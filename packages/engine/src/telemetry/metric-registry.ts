// Metrics in the Prometheus text format 0.0.4. One registry per runtime, passed to its users; nothing is global. An
// increment is a map lookup and an addition, cheap enough for every event.

/** `admin`: covers the work of all owners. */
export type MetricAudience = 'everybody' | 'admin'

export interface MetricOptions {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly audience: MetricAudience
}

export interface Counter {
  /** `values` in the order of the labels. */
  add(values?: readonly string[], by?: number): void
}

export interface Gauge {
  /** Like `Counter`, but may decrease. */
  add(values: readonly string[], by: number): void
}

export interface Histogram {
  observe(values: readonly string[], value: number): void
}

type Awaitable<Value> = Value | Promise<Value>

export interface Reading {
  readonly values: readonly string[]
  readonly value: number
}

export interface MetricRegistry {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram
  /** Called on each request. A reading that fails is left out. */
  reading(options: MetricOptions & { readonly type?: 'counter' }, read: () => Awaitable<readonly Reading[]>): void
  text(audience: MetricAudience): Promise<string>
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** For one metric. Further label values count as `other`: names from outside must not fill the memory. */
const maxSeries = 500

interface Family {
  readonly audience: MetricAudience
  lines(): Promise<readonly string[]>
}

export function createMetricRegistry(): MetricRegistry {
  const families: Family[] = []

  function addFamily(options: MetricOptions, type: string, linesOf: () => Awaitable<readonly string[]>): void {
    const lines = async () => [...headOf(options, type), ...(await linesOf())]
    families.push({ audience: options.audience, lines })
  }

  function numbers(options: MetricOptions, type: 'counter' | 'gauge'): Counter & Gauge {
    const series = createSeries(options, () => ({ value: 0 }))
    addFamily(options, type, () =>
      series.all().map(([values, one]) => line(options.name, labelsOf(options, values), one.value)),
    )
    return {
      add(values = [], by = 1) {
        series.of(values).value += by
      },
    }
  }

  return {
    counter: (options) => numbers(options, 'counter'),
    gauge: (options) => numbers(options, 'gauge'),
    histogram(options) {
      const { buckets, name } = options
      const series = createSeries(options, () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }))
      addFamily(options, 'histogram', () =>
        series.all().flatMap(([values, { counts, count, sum }]) => {
          const labels = labelsOf(options, values)
          const bucket = (le: string, value: number) => line(`${name}_bucket`, [...labels, ['le', le]], value)
          return [
            ...buckets.map((bound, index) => bucket(String(bound), counts[index] ?? 0)),
            bucket('+Inf', count),
            line(`${name}_sum`, labels, sum),
            line(`${name}_count`, labels, count),
          ]
        }),
      )
      return {
        observe(values, value) {
          const one = series.of(values)
          one.count += 1
          one.sum += value
          // Each bucket counts all values up to its bound.
          for (const [index, bound] of buckets.entries())
            if (value <= bound) one.counts[index] = (one.counts[index] ?? 0) + 1
        },
      }
    },
    reading(options, read) {
      addFamily(options, options.type ?? 'gauge', async () =>
        (await read()).map(({ values, value }) => line(options.name, labelsOf(options, values), value)),
      )
    },
    async text(audience) {
      const shown = families.filter((family) => audience === 'admin' || family.audience === 'everybody')
      const lines = await Promise.all(shown.map((family) => family.lines().catch(() => [])))
      return `${lines.flat().join('\n')}\n`
    },
  }
}

function createSeries<One>({ labels = [] }: MetricOptions, make: () => One) {
  const series = new Map<string, readonly [values: readonly string[], one: One]>()
  if (labels.length === 0) series.set('', [[], make()])
  return {
    all: () => [...series.values()],
    of(values: readonly string[]): One {
      const known = series.get(values.join('\n'))
      if (known !== undefined) return known[1]
      const labelValues = series.size < maxSeries ? values : labels.map(() => 'other')
      const found = series.get(labelValues.join('\n')) ?? ([labelValues, make()] as const)
      series.set(labelValues.join('\n'), found)
      return found[1]
    },
  }
}

type Labels = readonly (readonly [name: string, value: string])[]

const labelsOf = ({ labels = [] }: MetricOptions, values: readonly string[]): Labels =>
  labels.map((name, index) => [name, values[index] ?? ''])

const headOf = ({ name, help }: MetricOptions, type: string): readonly string[] => [
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
  `# TYPE ${name} ${type}`,
]

function line(name: string, labels: Labels, value: number): string {
  const inBraces = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
  return `${name}${inBraces === '' ? '' : `{${inBraces}}`} ${numberText(value)}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}
