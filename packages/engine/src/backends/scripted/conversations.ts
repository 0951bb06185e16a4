// The conversations of a scripted backend, so that they can be continued, branched and rewound.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { QuarterdeckError, type UserMessageId } from '@quarterdeck/protocol'
import type { BranchPoint, FileRewind } from '../backend.ts'

export interface ScriptedExchange {
  readonly messageId: UserMessageId | null
  readonly prompt: string
  /** The ids of the model's messages. */
  readonly replies: string[]
  /** Files before this exchange wrote them; `null` for a file that did not exist. */
  readonly filesBefore: Map<string, string | null>
}

export type Conversations = ReturnType<typeof createConversations>

export function createConversations() {
  const known = new Map<string, ScriptedExchange[]>()

  /** The exchanges of a conversation, which the caller extends. Creates an unknown conversation. */
  function open(id: string): ScriptedExchange[] {
    const exchanges = known.get(id) ?? []
    known.set(id, exchanges)
    return exchanges
  }

  return {
    open,
    /** Returns the exchanges of the branch. Throws `rewind.unavailable` if there is no such point. */
    branch(from: string, to: string, at: BranchPoint): readonly ScriptedExchange[] {
      const branched = upTo(open(from), at)
      known.set(to, branched)
      return branched
    },
  }
}

function upTo(exchanges: readonly ScriptedExchange[], at: BranchPoint): ScriptedExchange[] {
  if (at.type === 'end') return [...exchanges]
  const index = exchanges.findIndex((one) =>
    at.type === 'before' ? one.messageId === at.messageId : one.replies.includes(at.messageId),
  )
  const found = exchanges[index]
  if (found === undefined) throw noSuchMessage(at.messageId)
  if (at.type === 'before') return exchanges.slice(0, index)
  const replies = found.replies.slice(0, found.replies.indexOf(at.messageId) + 1)
  return [...exchanges.slice(0, index), { ...found, replies }]
}

export function writeFile(exchange: ScriptedExchange, path: string, text: string): void {
  if (!exchange.filesBefore.has(path)) exchange.filesBefore.set(path, readOrNull(path))
  writeFileSync(path, text)
}

export function rewindFiles(
  exchanges: readonly ScriptedExchange[],
  messageId: UserMessageId,
  options: { readonly cwd: string; readonly dryRun: boolean },
): FileRewind {
  const index = exchanges.findIndex((one) => one.messageId === messageId)
  if (index < 0) throw noSuchMessage(messageId)
  const before = new Map<string, string | null>()
  for (const exchange of exchanges.slice(index)) {
    for (const [path, text] of exchange.filesBefore) if (!before.has(path)) before.set(path, text)
  }
  const changed = [...before].filter(([path, text]) => readOrNull(path) !== text)
  for (const [path, text] of options.dryRun ? [] : changed) {
    if (text === null) rmSync(path, { force: true })
    else writeFileSync(path, text)
  }
  return { restored: changed.map(([path]) => relative(options.cwd, resolve(options.cwd, path))), notRestored: [] }
}

const noSuchMessage = (messageId: string) =>
  new QuarterdeckError('rewind.unavailable', `the conversation has no message ${messageId}`)

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The file did not exist: a rewind removes it.
    return null
  }
}
