// What config.yaml says to the server rather than to agents: strict, snake_case, durations as in the agent file.
import { BudgetPeriod, BudgetUnit, SessionEvent } from '@quarterdeck/protocol'
import { z } from 'zod'
import { base64SecretPrefix } from '../../webhooks/sign-delivery.ts'

const text = z.string().trim().min(1, 'must not be blank')
const duration = text.describe('A duration such as `90s`, `30m` or `1h`.')
const count = z.int().min(1)

const RateBlock = z.strictObject({
  requests: count.describe('Requests in one window, for each model family.'),
  input_tokens: count.describe('Input tokens in one window; cache reads do not count.'),
  output_tokens: count.describe('Output tokens in one window.'),
  window: duration.nullish().describe('The stretch of time the three are for; `1m` unless said.'),
})

export const GatewayBlock = z.strictObject({
  enabled: z.boolean().nullish().describe('As `gateway: on` or `off`.'),
  merge_window_ms: z
    .int()
    .min(0)
    .max(1000)
    .nullish()
    .describe(
      'Token deltas that arrive within it are passed on as one; 0 leaves every byte as it came, 50 unless said.',
    ),
  max_retries: z
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe(
      'How often a request is tried again before its first byte, and on the loop also after an answer broke off; 8 unless said.',
    ),
  silence_after: duration
    .nullish()
    .describe('How long a provider may say nothing in the middle of an answer before it is tried again; `2m`.'),
  rate: RateBlock.nullish().describe('What the provider grants, where it is none of the tiers.'),
  shape_simulator: z.boolean().nullish().describe('Whether the simulator on this machine is held to the rate too.'),
})
export type GatewayBlock = z.infer<typeof GatewayBlock>

const ProcessesBlock = z.strictObject({
  max_resident: count.nullish().describe('Agent processes at the same time; fitted to free memory unless said.'),
  max_running_turns: count.nullish().describe('Turns at the same time; 10 for each core unless said.'),
  max_starting: count.nullish().describe('Processes that start at the same time; one for two cores unless said.'),
  hibernate_after: duration.nullish().describe('How long a session rests before its process goes; `5m` unless said.'),
  hibernate_waiting_after: duration
    .nullish()
    .describe('How long a process waits for a person before it goes; what it asked stays open. `30m` unless said.'),
  memory_floor_mib: count.nullish().describe('With less free memory no process is added and resting ones go; 256.'),
  recycle_after_turns: count.nullish().describe('A process this old is replaced after its turn; 200.'),
  recycle_above_mib: count.nullish().describe('A process this big is replaced after its turn; 300.'),
  stuck_after: duration.nullish().describe('How long nothing may happen in a turn before it is stopped; `10m`.'),
  spares: z.boolean().nullish().describe('Whether a process is kept ready for an agent in use; true unless said.'),
})

const RetentionBlock = z.strictObject({
  delete_after: text
    .nullish()
    .describe('Closed and archived sessions older than this are deleted, such as `90d`; `never` unless said.'),
})

const EventName = z.enum(SessionEvent.options.map(({ shape }) => shape.type.value))

/** Standard Webhooks gives them 24 to 64 bytes. */
const isWebhookSecret = (secret: string): boolean => {
  if (!secret.startsWith(base64SecretPrefix)) return true
  const base64 = secret.slice(base64SecretPrefix.length)
  return /^[A-Za-z0-9+/]{32,86}={0,2}$/.test(base64) && base64.length % 4 === 0
}

const WebhookBlock = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'expected an http or https address' }).describe('Where it is told.'),
  secret: z
    .string()
    .min(16, 'must be at least 16 characters')
    .refine(isWebhookSecret, 'must be the base64 of 24 to 64 bytes after "whsec_"')
    .describe(
      'What deliveries are signed with: a `${VARIABLE}`. `whsec_` and base64 as in Standard Webhooks; another is taken as text.',
    ),
  events: z.array(EventName).min(1).describe('The events it is told of, by their names in the log.'),
})

const BudgetBlock = z
  .strictObject({
    scope: z.enum(['agent', 'user', 'key', 'all']).describe('Whose spending counts.'),
    subject: text
      .nullish()
      .describe('The agent’s, the user’s or the key’s name; `*` means each for itself. Not with `all`.'),
    period: BudgetPeriod.describe('Days and months are in UTC.'),
    unit: BudgetUnit.nullish().describe('`usd` unless said.'),
    limit: z.number().positive().describe('How much in one period.'),
  })
  .refine(
    ({ scope, subject }) => (scope === 'all') === (subject == null),
    'needs a subject for an agent, a user or a key, and none for all',
  )

/** Beside what holds for agents. Read from the folder the server starts in and from the home folder. */
export const serverBlocks = {
  allow_unsandboxed: z
    .boolean()
    .nullish()
    .describe(
      'Lets agents with a shell, functions, hook scripts or MCP commands start on machines without Linux namespaces, where they can read the access token of the server; as `--allow-unsandboxed`. Only in `~/.quarterdeck/config.yaml`.',
    ),
  rate_limit_tier: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)], { error: 'must be 1, 2, 3 or 4' })
    .nullish()
    .describe('What the provider grants per minute; 1 unless said.'),
  processes: ProcessesBlock.nullish().describe('How many agent processes there are, and for how long.'),
  retention: RetentionBlock.nullish().describe('What is deleted by itself.'),
  webhooks: z.array(WebhookBlock).max(20).nullish().describe('Who outside is told what happens.'),
  budgets: z
    .array(BudgetBlock)
    .max(100)
    .nullish()
    .describe('Budgets that are there from the start; what the file says wins at each start.'),
} as const

export const serverKeys = Object.keys(serverBlocks)
