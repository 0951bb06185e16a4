// Metrics of this server, and of its runtime when scraped.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createMetricRegistry, type Engine, type MetricRegistry } from '@quarterdeck/engine'
import { SessionStatus } from '@quarterdeck/protocol'

export type ServerMetrics = ReturnType<typeof createServerMetrics>

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createServerMetrics(version: string, registry: MetricRegistry = createMetricRegistry()) {
  const requests = registry.counter({
    name: 'quarterdeck_http_requests_total',
    help: 'Answered requests, by route and status class.',
    labels: ['method', 'route', 'status'],
    audience: 'everybody',
  })
  const durations = registry.histogram({
    name: 'quarterdeck_http_request_duration_seconds',
    help: 'Time from a request to the start of its response.',
    labels: ['method', 'route'],
    audience: 'everybody',
    buckets: requestSeconds,
  })
  const refusals = registry.counter({
    name: 'quarterdeck_rate_limited_total',
    help: 'Requests refused by rate limits.',
    audience: 'everybody',
  })
  const streams = registry.gauge({
    name: 'quarterdeck_streams_open',
    help: 'Open event streams and sockets.',
    labels: ['transport'],
    audience: 'everybody',
  })
  for (const transport of ['sse', 'ws']) streams.add([transport], 0)
  readProcess(registry, version)

  return {
    registry,
    answered({ method, route, status, seconds }: Answered): void {
      requests.add([method, route, `${Math.floor(status / 100)}xx`])
      durations.observe([method, route], seconds)
    },
    refused: (): void => refusals.add(),
    opened(transport: 'sse' | 'ws'): () => void {
      streams.add([transport], 1)
      return () => streams.add([transport], -1)
    },
  }
}

export interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

function readProcess(registry: MetricRegistry, version: string): void {
  const gauge = (name: string, help: string, read: () => number) =>
    registry.reading({ name: `quarterdeck_${name}`, help, audience: 'everybody' }, () => [
      { values: [], value: read() },
    ])
  registry.reading(
    {
      name: 'quarterdeck_build_info',
      help: 'Always 1; the versions are in the labels.',
      labels: ['version', 'node'],
      audience: 'everybody',
    },
    () => [{ values: [version, process.version], value: 1 }],
  )
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('start_time_seconds', 'Start time of the process, in seconds since 1970.', () => startedAt)
  gauge('heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed)
  gauge('resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss())
  const cpu = 'CPU time, user and system.'
  registry.reading({ name: 'quarterdeck_cpu_seconds_total', help: cpu, audience: 'everybody', type: 'counter' }, () => {
    const { user, system } = process.cpuUsage()
    return [{ values: [], value: (user + system) / 1e6 }]
  })
  readLag(registry)
}

const lagResolutionMs = 20

/** Started by the first scrape, so that it costs nothing otherwise. */
function readLag(registry: MetricRegistry): void {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  registry.reading(
    {
      name: 'quarterdeck_event_loop_lag_seconds',
      help: 'Event loop delay since the last scrape.',
      labels: ['statistic'],
      audience: 'everybody',
    },
    () => {
      if (lag.enable() || lag.count === 0) return []
      const values = { mean: lag.mean, p99: lag.percentile(99), max: lag.max }
      lag.reset()
      // The histogram measures the whole timer, including its own interval.
      return Object.entries(values).map(([name, ns]) => ({
        values: [name],
        value: Math.max(0, ns / 1e9 - lagResolutionMs / 1000),
      }))
    },
  )
}

/** Values that only the engine knows, read when scraped. */
export function registerEngineMetrics(
  registry: MetricRegistry,
  { sessions, countSessions }: Pick<Engine, 'sessions' | 'countSessions'>,
): void {
  registry.reading(
    { name: 'quarterdeck_sessions', help: 'Sessions in the log, by status.', labels: ['status'], audience: 'admin' },
    async () => {
      const counts = await countSessions()
      return SessionStatus.options.map((status) => ({ values: [status], value: counts.get(status) ?? 0 }))
    },
  )
  registry.reading({ name: 'quarterdeck_approvals_open', help: 'Open approvals.', audience: 'admin' }, async () => [
    { values: [], value: (await sessions.listApprovals({})).approvals.length },
  ])
  registry.reading(
    {
      name: 'quarterdeck_processes',
      help: 'Agent processes: all, and the spares among them.',
      labels: ['state'],
      audience: 'everybody',
    },
    async () => {
      const { resident, spare } = (await sessions.queue()).processes
      return Object.entries({ resident, spare }).map(([state, value]) => ({ values: [state], value }))
    },
  )
  registry.reading(
    { name: 'quarterdeck_processes_limit', help: 'Limit of agent processes.', audience: 'everybody' },
    async () => [{ values: [], value: (await sessions.queue()).processes.limit }],
  )
  registry.reading(
    {
      name: 'quarterdeck_waiting',
      help: 'Queued sessions, by what they wait for.',
      labels: ['reason'],
      audience: 'everybody',
    },
    async () => {
      const { waiting } = await sessions.queue()
      return (['process', 'turn', 'rate', 'agent'] as const).map((reason) => ({
        values: [reason],
        value: waiting.filter(({ queuePosition }) => queuePosition.reason === reason).length,
      }))
    },
  )
  registry.reading({ name: 'quarterdeck_turns_running', help: 'Running turns.', audience: 'everybody' }, async () => [
    { values: [], value: (await sessions.queue()).turns.running },
  ])
}
