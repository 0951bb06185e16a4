// Capabilities that the CLI reports. Account details are limited to what may be shown on a screen.
import type { Capabilities, JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import { isCompaction } from './message-queue.ts'

const text = z.string().catch('')

/** The answer of the CLI when it starts. Loose: an unknown shape yields empty capabilities instead of a failure. */
const Initialized = z.looseObject({
  commands: z.array(z.looseObject({ name: z.string(), description: text })).catch([]),
  models: z
    .array(z.looseObject({ value: z.string(), displayName: text, resolvedModel: z.string().optional() }))
    .catch([]),
  agents: z.array(z.looseObject({ name: z.string(), description: text })).catch([]),
  account: z.record(z.string(), z.unknown()).nullish().catch(null),
})

const ServerStatus = z.array(z.looseObject({ name: z.string(), status: z.string() })).catch([])

export function capabilitiesOf(reported: {
  readonly initialized: unknown
  readonly mcpServers: unknown
  readonly tools: readonly string[]
}): Capabilities {
  const known = Initialized.safeParse(reported.initialized)
  const { commands, models, agents, account } = known.success ? known.data : Initialized.parse({})
  return {
    // Prompts are taken literally. Only these commands are run when a user writes them.
    commands: commands.filter(({ name }) => isCompaction(`/${name}`)).map(pickDescribed),
    models: models.map(({ value, displayName, resolvedModel }) => ({ id: resolvedModel ?? value, label: displayName })),
    tools: [...reported.tools],
    agents: agents.map(pickDescribed),
    mcpServers: ServerStatus.parse(reported.mcpServers).map(({ name, status }) => ({ name, status })),
    account: account === null || account === undefined ? null : pickAccount(account),
  }
}

const pickDescribed = ({ name, description }: { readonly name: string; readonly description: string }) => ({
  name,
  description,
})

/** The source of a key, never the key. */
const shownOfAccount = ['email', 'organization', 'subscriptionType', 'tokenSource', 'apiKeySource', 'apiProvider']

const pickAccount = (account: JsonObject): JsonObject =>
  Object.fromEntries(
    shownOfAccount.flatMap((name) => (typeof account[name] === 'string' ? [[name, account[name]]] : [])),
  )
