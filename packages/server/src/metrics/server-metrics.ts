// Numbers about this server, and about the house behind it when somebody asks.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createMetricRegistry, type Engine, type MetricRegistry } from '@quarterdeck/engine'
import { SessionStatus } from '@quarterdeck/protocol'

export type ServerMetrics = ReturnType<typeof createServerMetrics>

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createServerMetrics(version: string, registry: MetricRegistry = createMetricRegistry()) {
  const requests = registry.counter({
    name: 'quarterdeck_http_requests_total',
    help: 'Requests that were answered, by route and class of status.',
    labels: ['method', 'route', 'status'],
    audience: 'everybody',
  })
  const durations = registry.histogram({
    name: 'quarterdeck_http_request_duration_seconds',
    help: 'From a request to the head of its answer.',
    labels: ['method', 'route'],
    audience: 'everybody',
    buckets: requestSeconds,
  })
  const refusals = registry.counter({
    name: 'quarterdeck_rate_limited_total',
    help: 'Requests that were refused because there were too many.',
    audience: 'everybody',
  })
  const streams = registry.gauge({
    name: 'quarterdeck_streams_open',
    help: 'Event streams and sockets that are open.',
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
      help: 'Always 1; what runs is in the labels.',
      labels: ['version', 'node'],
      audience: 'everybody',
    },
    () => [{ values: [version, process.version], value: 1 }],
  )
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('start_time_seconds', 'When the process started, in seconds since 1970.', () => startedAt)
  gauge('heap_used_bytes', 'JavaScript objects in memory.', () => process.memoryUsage().heapUsed)
  gauge('resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  const cpu = 'Time on processors, of user and system.'
  registry.reading({ name: 'quarterdeck_cpu_seconds_total', help: cpu, audience: 'everybody', type: 'counter' }, () => {
    const { user, system } = process.cpuUsage()
    return [{ values: [], value: (user + system) / 1e6 }]
  })
  readLag(registry)
}

const lagResolutionMs = 20

/** Watched from the first time somebody asks: whoever does not ask does not pay for it. */
function readLag(registry: MetricRegistry): void {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  registry.reading(
    {
      name: 'quarterdeck_event_loop_lag_seconds',
      help: 'How late the event loop came round since the last look.',
      labels: ['statistic'],
      audience: 'everybody',
    },
    () => {
      if (lag.enable() || lag.count === 0) return []
      const values = { mean: lag.mean, p99: lag.percentile(99), max: lag.max }
      lag.reset()
      // It tells how long a timer took, its own time included.
      return Object.entries(values).map(([name, ns]) => ({
        values: [name],
        value: Math.max(0, ns / 1e9 - lagResolutionMs / 1000),
      }))
    },
  )
}

/** What only the engine knows, asked for when somebody looks. */
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
  registry.reading(
    { name: 'quarterdeck_approvals_open', help: 'Approvals that wait for somebody.', audience: 'admin' },
    async () => [{ values: [], value: (await sessions.approvals()).approvals.length }],
  )
  registry.reading(
    {
      name: 'quarterdeck_processes',
      help: 'Agent processes: all there are, and those among them that are kept ready.',
      labels: ['state'],
      audience: 'everybody',
    },
    async () => {
      const { resident, spare } = (await sessions.queue()).processes
      return Object.entries({ resident, spare }).map(([state, value]) => ({ values: [state], value }))
    },
  )
  registry.reading(
    { name: 'quarterdeck_processes_limit', help: 'Agent processes there may be.', audience: 'everybody' },
    async () => [{ values: [], value: (await sessions.queue()).processes.limit }],
  )
  registry.reading(
    {
      name: 'quarterdeck_waiting',
      help: 'Sessions in line, by what they wait for.',
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
  registry.reading(
    { name: 'quarterdeck_turns_running', help: 'Turns that run now.', audience: 'everybody' },
    async () => [{ values: [], value: (await sessions.queue()).turns.running }],
  )
}
