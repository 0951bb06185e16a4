// What the CLI says about itself, and no more of the account than a person may see on a screen.
import type { Capabilities, JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import { isCompaction } from './message-queue.ts'

const text = z.string().catch('')

/** What it answers when it starts. Loose: an answer that does not fit shows nothing rather than failing. */
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
    // A prompt is taken literally: only these are run when somebody writes them.
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

/** Where a key comes from, never the key. */
const shownOfAccount = ['email', 'organization', 'subscriptionType', 'tokenSource', 'apiKeySource', 'apiProvider']

const pickAccount = (account: JsonObject): JsonObject =>
  Object.fromEntries(
    shownOfAccount.flatMap((name) => (typeof account[name] === 'string' ? [[name, account[name]]] : [])),
  )
