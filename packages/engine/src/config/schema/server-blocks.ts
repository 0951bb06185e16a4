// The blocks of config.yaml that configure the server: strict, snake_case, durations as in the agent file.
import { BudgetPeriod, BudgetUnit, SessionEvent } from '@quarterdeck/protocol'
import { z } from 'zod'
import { base64SecretPrefix } from '../../webhooks/sign-delivery.ts'
import { booleanSetting, httpAddress, optionalSetting, text } from './setting-schemas.ts'

const duration = text.describe('A duration such as `90s`, `30m` or `1h`.')
const count = z.int().min(1)

const RateBlock = z.strictObject({
  requests: count.describe('Requests in one window, for each model family.'),
  input_tokens: count.describe('Input tokens in one window, without cache reads.'),
  output_tokens: count.describe('Output tokens in one window.'),
  window: optionalSetting(duration, 'The length of the window. Default: `1m`.'),
})

export const GatewayBlock = z.strictObject({
  enabled: booleanSetting('Like `gateway: on` or `off`.'),
  merge_window_ms: optionalSetting(
    z.int().min(0).max(1000),
    'Token deltas that arrive within this time are forwarded as one; 0 forwards every byte unchanged. Default: 50.',
  ),
  max_retries: optionalSetting(
    z.int().min(0).max(20),
    'How often a request is retried before its first byte, and on the loop also after an interrupted answer. Default: 8.',
  ),
  silence_after: optionalSetting(
    duration,
    'How long a provider may stay silent during an answer before the request is retried. Default: `2m`.',
  ),
  rate: optionalSetting(RateBlock, 'The rate limits of the provider, if none of the tiers applies.'),
  shape_simulator: booleanSetting('Whether the rate limits also apply to the local simulator.'),
})

const ProcessesBlock = z.strictObject({
  max_resident: optionalSetting(count, 'Maximum number of agent processes. Default: depends on free memory.'),
  max_running_turns: optionalSetting(count, 'Maximum number of running turns. Default: 10 per core.'),
  max_starting: optionalSetting(
    count,
    'Maximum number of processes that start at the same time. Default: one per two cores.',
  ),
  hibernate_after: optionalSetting(duration, 'How long a session is idle before its process ends. Default: `5m`.'),
  hibernate_waiting_after: optionalSetting(
    duration,
    'How long a process waits for a person before it ends; the request stays open. Default: `30m`.',
  ),
  memory_floor_mib: optionalSetting(
    count,
    'With less free memory, no process starts and idle processes end. Default: 256.',
  ),
  recycle_after_turns: optionalSetting(count, 'A process is replaced after this many turns. Default: 200.'),
  recycle_above_mib: optionalSetting(count, 'A process larger than this is replaced after its turn. Default: 300.'),
  stuck_after: optionalSetting(duration, 'A turn without any activity for this long is stopped. Default: `10m`.'),
  spares: booleanSetting('Whether to keep a spare process for each agent in use. Default: true.'),
})

const RetentionBlock = z.strictObject({
  delete_after: optionalSetting(
    text,
    'Deletes sessions that are closed or archived and have had no event for this long, such as `90d`. Default: `never`.',
  ),
})

const EventName = z.enum(SessionEvent.options.map(({ shape }) => shape.type.value))

/** Standard Webhooks requires 24 to 64 bytes. */
const isWebhookSecret = (secret: string): boolean => {
  if (!secret.startsWith(base64SecretPrefix)) return true
  const base64 = secret.slice(base64SecretPrefix.length)
  return /^[A-Za-z0-9+/]{32,86}={0,2}$/.test(base64) && base64.length % 4 === 0
}

const WebhookBlock = z.strictObject({
  url: httpAddress.describe('The address that receives the deliveries.'),
  secret: z
    .string()
    .min(16, 'must be at least 16 characters')
    .refine(isWebhookSecret, 'must be the base64 of 24 to 64 bytes after "whsec_"')
    .describe(
      'The secret that signs deliveries, as a `${VARIABLE}`: `whsec_` and base64 as in Standard Webhooks, or any other text.',
    ),
  events: z.array(EventName).min(1).describe('The events to deliver, by their names in the log.'),
})

const BudgetBlock = z
  .strictObject({
    scope: z.enum(['agent', 'user', 'key', 'all']).describe('The kind of spender that the budget limits.'),
    subject: optionalSetting(
      text,
      'The name of the agent, user or key; `*` gives each its own budget. Not allowed with `all`.',
    ),
    period: BudgetPeriod.describe('The period. Days and months are in UTC.'),
    unit: optionalSetting(BudgetUnit, 'Dollars or units. Default: `usd`.'),
    limit: z.number().positive().describe('The amount for one period.'),
  })
  .refine(
    ({ scope, subject }) => (scope === 'all') === (subject == null),
    'needs a subject for an agent, a user or a key, and none for all',
  )

/** Server settings, read from the folder the server starts in and from the home folder. */
export const serverBlocks = {
  allow_unsandboxed: booleanSetting(
    'Starts agents with a shell, functions, hook scripts or MCP commands even on machines without Linux namespaces. They can then read the access token of the server. Same as `--allow-unsandboxed`. Only in `~/.quarterdeck/config.yaml`.',
  ),
  rate_limit_tier: optionalSetting(
    z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)], { error: 'must be 1, 2, 3 or 4' }),
    'The rate limit tier of your provider account. Default: 1.',
  ),
  processes: optionalSetting(ProcessesBlock, 'Limits and lifetimes of agent processes.'),
  retention: optionalSetting(RetentionBlock, 'Automatic deletion.'),
  webhooks: optionalSetting(z.array(WebhookBlock).max(20), 'HTTP endpoints that receive events.'),
  budgets: optionalSetting(
    z.array(BudgetBlock).max(100),
    'Budgets created at the start; each start applies the values of the file.',
  ),
} as const
