// The settings of `POST /config`. Fields that would allow more than the agent file are stored to be shown, have no
// effect, and are reported to the client.
import type { NewSession } from '@quarterdeck/engine'
import { type AgentDefinition, allowsMore, messageLimit } from '@quarterdeck/protocol'
import { z } from 'zod'
import { modeOfSdk, sdkModeNames } from './sdk-permission-mode.ts'
import { shownConfig } from './shown-config.ts'

/** Ignoring these would give the client more than it asked for. */
const notSupported = 'not supported: list the allowed tools in allowedTools instead'

const Posted = z.looseObject({
  allowedTools: z.array(z.string().min(1).max(200)).max(1000).nullish(),
  disallowedTools: z.array(z.unknown()).max(0, notSupported).nullish(),
  systemPrompt: z
    .union([
      z.string().max(messageLimit),
      z.looseObject({ type: z.literal('preset'), append: z.string().max(messageLimit).nullish() }),
    ])
    .nullish(),
  model: z.string().min(1).max(200).nullish(),
  permissionMode: z.string().max(100).nullish(),
  maxTurns: z.int().positive().nullish(),
  maxBudgetUsd: z.number().positive().nullish(),
  includePartialMessages: z.boolean().nullish(),
})
type Posted = z.infer<typeof Posted>

export type SessionOverrides = Pick<NewSession, 'instructions' | 'allowedTools' | 'model' | 'permissionMode' | 'limits'>

/** By field: why it has no effect. */
export type NotApplied = Readonly<Record<string, string>>

export type ClientConfig = ReturnType<typeof readClientConfig>

/** Throws a `ZodError` for an invalid field that matters: a restriction must not be lost. */
export function readClientConfig(body: unknown) {
  const posted = Posted.parse(body)
  /** The posted configuration without secrets. */
  const shown = shownConfig(posted)
  const wanted = wantedOf(posted, Object.keys(shown))
  return {
    shown,
    isPartial: posted.includePartialMessages === true,
    /** Checked against the agent file; `null` if the agent is not known yet. */
    settle(agent: AgentDefinition | null): { readonly overrides: SessionOverrides; readonly notApplied: NotApplied } {
      const mode = settleMode(wanted, agent)
      return {
        overrides: { ...wanted.overrides, ...limitsOf(wanted, agent), ...mode.overrides },
        notApplied: { ...wanted.notApplied, ...mode.notApplied },
      }
    },
  }
}

/** The settings that are known without the agent; all secrets are dropped by now. */
interface Wanted {
  readonly overrides: SessionOverrides
  readonly mode: string | null
  readonly limits: { readonly maxTurns: number; readonly maxBudgetUsd: number }
  readonly notApplied: NotApplied
}

const applied: ReadonlySet<string> = new Set(Object.keys(Posted.shape))
/** Fields that the client library posts for itself. */
const ofTheClient: ReadonlySet<string> = new Set(['e2bApiKey', 'template', 'timeoutMs', 'debug', 'connectionUrl'])

const reasons: Readonly<Record<string, string>> = {
  agents: 'the agent file defines the subagents',
  mcpServers: 'the agent file defines the MCP servers',
  anthropicApiKey: 'the server has its own; this one was not stored',
  cwd: 'the agent file defines the working directory',
  resume: 'connect with ?sessionId= to continue a session',
}

const reasonFor = (field: string): string =>
  (Object.hasOwn(reasons, field) ? reasons[field] : undefined) ?? 'the agent file decides'

/** Longer lists are not useful. */
const maxReported = 50

const toolsOf = (patterns: readonly string[]): string =>
  [...new Set(patterns.map((pattern) => pattern.slice(0, pattern.indexOf('('))))].slice(0, maxReported).join(', ')

function wantedOf(posted: Posted, fields: readonly string[]): Wanted {
  const instructions = instructionsOf(posted.systemPrompt ?? null)
  const { allowedTools, model, permissionMode, maxTurns, maxBudgetUsd } = posted
  const patterns = allowedTools?.filter((name) => name.includes('(')) ?? []
  const rest = fields.filter((name) => !applied.has(name) && !ofTheClient.has(name)).slice(0, maxReported)
  return {
    overrides: {
      ...(instructions === '' ? {} : { instructions }),
      ...(model === null || model === undefined ? {} : { model }),
      ...(allowedTools ? { allowedTools: allowedTools.filter((name) => !patterns.includes(name)) } : {}),
    },
    mode: permissionMode ?? null,
    limits: { maxTurns: maxTurns ?? Number.POSITIVE_INFINITY, maxBudgetUsd: maxBudgetUsd ?? Number.POSITIVE_INFINITY },
    notApplied: {
      ...Object.fromEntries(rest.map((name) => [name, reasonFor(name)])),
      ...(patterns.length === 0
        ? {}
        : { allowedTools: `removed completely, because of its pattern: ${toolsOf(patterns)}` }),
    },
  }
}

const instructionsOf = (systemPrompt: NonNullable<Posted['systemPrompt']> | null): string =>
  typeof systemPrompt === 'string' ? systemPrompt : (systemPrompt?.append ?? '')

/** The smaller limit applies. */
function limitsOf({ limits }: Wanted, agent: AgentDefinition | null): Pick<SessionOverrides, 'limits'> {
  if (agent === null) return {}
  const maxTurns = Math.min(limits.maxTurns, agent.limits.maxTurns)
  const maxBudgetUsd = Math.min(limits.maxBudgetUsd, agent.limits.maxBudgetUsd)
  return { limits: { maxTurns, maxBudgetUsd } }
}

function settleMode(
  { mode }: Wanted,
  agent: AgentDefinition | null,
): { overrides: SessionOverrides; notApplied: NotApplied } {
  if (mode === null) return { overrides: {}, notApplied: {} }
  const wanted = modeOfSdk(mode)
  const refused = (why: string) => ({ overrides: {}, notApplied: { permissionMode: why } })
  if (wanted === undefined) return refused(`allowed values: ${sdkModeNames.join(', ')}`)
  if (agent === null) return { overrides: {}, notApplied: {} }
  const allowed = agent.claude.permissionMode
  if (allowsMore(wanted, allowed)) return refused(`allows more than the agent file does (${allowed})`)
  return { overrides: { permissionMode: wanted }, notApplied: {} }
}
