// The server settings of config.yaml, from the folder the server starts in and the home folder; the nearer one wins.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BudgetBody, CatalogModel } from '@quarterdeck/protocol'
import type { ProcessSettings } from '../../processes/process-settings.ts'
import type { Webhook } from '../../webhooks/webhook-worker.ts'
import { type ConfigProblem, configError, isError } from '../problems/problem.ts'
import { type Path, valueAt } from '../problems/value-path.ts'
import { applyOverrides } from '../resolve/catalog-overrides.ts'
import { type ConfigFile, mergeUnder, parseConfig } from '../schema/config-file.ts'
import { longestDurationMs, parseDuration } from '../schema/duration.ts'
import { type ConfigSource, readSource } from '../yaml/config-source.ts'
import { type Environment, readEnvironment } from '../yaml/environment.ts'

export interface ServerSettings {
  readonly rate: {
    readonly tier: 1 | 2 | 3 | 4
    /** False if no file sets it and the lowest tier is assumed. */
    readonly isTierExplicit: boolean
    /** Replaces the tier, for each model family. */
    readonly limits: ProviderRateSettings | null
    readonly shapesSimulator: boolean
  }
  /** Whether agents that run programs may start on a machine without isolation. */
  readonly allowUnsandboxed: boolean
  readonly gateway: { readonly mergeWindowMs: number; readonly silenceMs: number; readonly maxRetries: number | null }
  /** Missing values are derived from the machine. */
  readonly processes: Partial<ProcessSettings>
  /** `null` disables deletion. */
  readonly deleteAfterMs: number | null
  readonly webhooks: readonly Webhook[]
  readonly budgets: readonly BudgetBody[]
  /** The model catalog with the changes of this folder's config.yaml. */
  readonly catalog: readonly CatalogModel[]
  /** Values that must never be stored or printed. */
  readonly secrets: readonly string[]
  readonly warnings: readonly ConfigProblem[]
}

/**
 * Rate limits for each model family in one window. The model package, which the engine cannot import, has the same
 * type.
 */
export interface ProviderRateSettings {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly windowMs: number
}

export interface ReadServerSettings {
  readonly cwd: string
  readonly homeDir: string
  readonly env: Environment
  /** Only a server is stopped by wrong webhooks, budgets and retention. Default: `server`. */
  readonly role?: 'server' | 'command'
}

const mebibyte = 1024 * 1024
const minute = 60_000
const longestRetentionMs = 36_500 * 86_400_000
/** Too short to be visible in a stream, and a third of the work with fast models. */
const defaultMergeWindowMs = 50
/** Providers send many pings in this time. */
const usualSilenceMs = 2 * minute

/** Throws all problems of the files at once. */
export async function readServerSettings(options: ReadServerSettings): Promise<ServerSettings> {
  const { cwd, homeDir } = options
  const environment = await readEnvironment(options.env, [cwd])
  const problems: ConfigProblem[] = [...environment.problems]
  const secrets: string[] = []
  let config: ConfigFile = {}
  const home = join(homeDir, '.quarterdeck')
  for (const folder of [cwd, home]) {
    const source = await readSource(join(folder, 'config.yaml'), { env: environment.env, homeDir })
    if (source === null) continue
    const written = parseConfig(source)
    const parsed = folder === home ? written : withoutConsent(written, source)
    refuseWrongDurations(parsed, source)
    refuseSameAddress(parsed, source)
    warnOfWrittenSecrets(parsed, source)
    config = mergeUnder(config, parsed)
    problems.push(...source.problems)
    secrets.push(...writtenSecrets(source))
  }
  const found = options.role === 'command' ? problems.filter(concernsCommands) : problems
  if (found.some(isError)) throw configError(found, cwd)
  return { ...settingsOf(config), secrets: [...new Set(secrets)], warnings: found }
}

/** A project may come from another author: only the operator's own file can allow agents without a sandbox. */
function withoutConsent({ allow_unsandboxed, ...config }: ConfigFile, source: ConfigSource): ConfigFile {
  if (allow_unsandboxed == null) return config
  source.warnNoEffectIn(['allow_unsandboxed'], 'here: move it to ~/.quarterdeck/config.yaml')
  return config
}

/** Includes secrets of refused entries: no log may contain them. Shorter ones are refused themselves. */
function writtenSecrets({ value }: ConfigSource): readonly string[] {
  const hooks = valueAt(value, ['webhooks'])
  return (Array.isArray(hooks) ? hooks : []).flatMap((hook: unknown) => {
    const secret = valueAt(hook, ['secret'])
    return typeof secret === 'string' && secret.length >= 16 ? [secret] : []
  })
}

/** Settings that a command with one session ignores. */
const serverOnlyKeys = ['webhooks', 'budgets', 'retention']

const concernsCommands = ({ path }: ConfigProblem): boolean => !serverOnlyKeys.includes(path.split(/[.[]/)[0] ?? '')

function settingsOf(config: ConfigFile): Omit<ServerSettings, 'secrets' | 'warnings'> {
  const { gateway, budgets, webhooks } = config
  const durations = durationsOf(config)
  const rate = gateway?.rate
  return {
    rate: {
      tier: config.rate_limit_tier ?? 1,
      isTierExplicit: config.rate_limit_tier !== undefined,
      limits: rate
        ? {
            requests: rate.requests,
            inputTokens: rate.input_tokens,
            outputTokens: rate.output_tokens,
            windowMs: durations['gateway.rate.window'] ?? minute,
          }
        : null,
      shapesSimulator: gateway?.shape_simulator ?? false,
    },
    allowUnsandboxed: config.allow_unsandboxed ?? false,
    gateway: {
      mergeWindowMs: gateway?.merge_window_ms ?? defaultMergeWindowMs,
      silenceMs: durations['gateway.silence_after'] ?? usualSilenceMs,
      maxRetries: gateway?.max_retries ?? null,
    },
    processes: processesOf(config, durations),
    deleteAfterMs: durations['retention.delete_after'] ?? null,
    webhooks: (webhooks ?? []).map(({ url, secret, events }) => ({ id: webhookId(url), url, secret, events })),
    budgets: (budgets ?? []).map(({ scope, subject, period, unit, limit }) => ({
      scope,
      period,
      limit,
      unit: unit ?? 'usd',
      ...(subject == null ? {} : { subject }),
    })),
    catalog: applyOverrides(config.models ?? {}),
  }
}

function processesOf({ processes }: ConfigFile, durations: Durations): Partial<ProcessSettings> {
  const mib = (count: number | null | undefined) => (count == null ? undefined : count * mebibyte)
  const settings = {
    maxResident: processes?.max_resident,
    maxRunningTurns: processes?.max_running_turns,
    maxStarting: processes?.max_starting,
    hibernateAfterMs: durations['processes.hibernate_after'],
    hibernateWaitingAfterMs: durations['processes.hibernate_waiting_after'],
    memoryFloorBytes: mib(processes?.memory_floor_mib),
    recycleAfterTurns: processes?.recycle_after_turns,
    recycleAboveBytes: mib(processes?.recycle_above_mib),
    stuckAfterMs: durations['processes.stuck_after'],
    spares: processes?.spares,
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null)) // absent values have defaults
}

const longestDurations = {
  'gateway.rate.window': longestDurationMs,
  'gateway.silence_after': longestDurationMs,
  'processes.hibernate_after': longestDurationMs,
  'processes.hibernate_waiting_after': longestDurationMs,
  'processes.stuck_after': longestDurationMs,
  'retention.delete_after': longestRetentionMs,
} as const

type DurationKey = keyof typeof longestDurations
type Durations = Partial<Record<DurationKey, number>>

/** Of the merged files: a `never` of the nearer file hides the value of the farther one. */
function durationsOf(config: ConfigFile): Durations {
  const found: Durations = {}
  for (const { key, longestMs, written } of writtenDurations(config)) {
    const ms = parseDuration(written, longestMs)
    if (ms !== undefined) found[key] = ms
  }
  return found
}

/** Checked in their own file, so that problems have a position. */
function refuseWrongDurations(config: ConfigFile, source: ConfigSource): void {
  for (const { key, path, longestMs, written } of writtenDurations(config)) {
    if (parseDuration(written, longestMs) !== undefined) continue
    const days = Math.floor(longestMs / 86_400_000)
    source.refuseValue(path, `"${key}" must be a duration such as 90s, 30m or 1h, at most ${days}d`)
  }
}

function* writtenDurations(config: ConfigFile) {
  for (const key of Object.keys(longestDurations) as DurationKey[]) {
    const path: Path = key.split('.')
    const written = valueAt(config, path)
    if (typeof written !== 'string' || (written === 'never' && key === 'retention.delete_after')) continue
    yield { key, path, written, longestMs: longestDurations[key] }
  }
}

/** Waiting deliveries are identified by address: two entries for one address could not be told apart. */
function refuseSameAddress({ webhooks }: ConfigFile, source: ConfigSource): void {
  const first = new Map<string, number>()
  for (const [index, { url }] of (webhooks ?? []).entries()) {
    const earlier = first.get(webhookId(url))
    first.set(webhookId(url), earlier ?? index)
    if (earlier === undefined) continue
    const message = `"webhooks[${index}].url" is also the address of webhooks[${earlier}]: list all its events there`
    const path = ['webhooks', index, 'url']
    source.refuseValue(path, message)
  }
}

function warnOfWrittenSecrets({ webhooks }: ConfigFile, source: ConfigSource): void {
  for (const index of (webhooks ?? []).keys()) {
    if (source.substitutions.has(`webhooks[${index}].secret`)) continue
    source.warnWrittenSecret(['webhooks', index, 'secret'])
  }
}

/** The same id after a restart, even if its events change: waiting deliveries belong to it. */
const webhookId = (url: string): string =>
  `whk_${createHash('sha256').update(new URL(url).href).digest('hex').slice(0, 16)}`
