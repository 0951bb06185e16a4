// Takes a session back to before a message: its files first, then what the agent remembers.
import {
  draft,
  QuarterdeckError,
  type RewindReport,
  RewindSessionBody,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { FileRewind } from '../backends/backend.ts'
import type { Doorway } from './doorway.ts'
import { type FoundMessage, findMessage } from './find-message.ts'
import { requireOpen } from './invariants.ts'
import type { LiveSession } from './live-session.ts'
import { whileResting } from './while-resting.ts'

export interface RewindRequest {
  readonly sessionId: SessionId
  readonly body: RewindSessionBody
  readonly by: string
}

export async function rewindSession(
  door: Doorway,
  { sessionId, body: input, by }: RewindRequest,
): Promise<RewindReport> {
  const body = RewindSessionBody.parse(input)
  const live = await door.coordinator.open(sessionId)
  requireOpen(live.writer.state())
  return whileResting(door.coordinator, live, async () => {
    const message = await findMessage(door.store, sessionId, body.messageId)
    const deliveredSeq = requireRemembered(message, live.writer.state())
    const files = body.files ? await rewindFiles(door, live, { ...body, by }) : null
    if (body.conversation && !body.dryRun) await rewindConversation(door, live, { ...body, deliveredSeq, by })
    const appliedSeq = live.writer.state().seq
    return { sessionId, appliedSeq, conversation: body.conversation, files: files === null ? null : listsOf(files) }
  })
}

function requireRemembered(message: FoundMessage, { backendSessionId }: SessionState): number {
  const { messageId, deliveredSeq, isForgotten } = message
  if (deliveredSeq !== null && !isForgotten && backendSessionId !== null) return deliveredSeq
  const why = isForgotten ? 'was rewound before' : 'has not been delivered'
  throw new QuarterdeckError('rewind.unavailable', `message ${messageId} ${why}: there is nothing to take back`)
}

const listsOf = ({ restored, notRestored }: FileRewind) => ({
  restored: [...restored],
  notRestored: notRestored.map((file) => ({ ...file })),
})

async function rewindFiles(
  door: Doorway,
  live: LiveSession,
  { messageId, dryRun, by }: Pick<FoundMessage, 'messageId'> & { readonly dryRun: boolean; readonly by: string },
): Promise<FileRewind> {
  const files = await door.coordinator.useProcess(live, (session) => session.rewindFiles(messageId, { dryRun }))
  if (!dryRun) await live.writer.record([draft('FilesRewound', { messageId, ...listsOf(files), by })])
  return files
}

async function rewindConversation(
  door: Doorway,
  live: LiveSession,
  {
    messageId,
    deliveredSeq,
    by,
  }: Pick<FoundMessage, 'messageId'> & { readonly deliveredSeq: number; readonly by: string },
): Promise<void> {
  const { sessionId, cwd, agentName, backendSessionId } = live.writer.state()
  if (backendSessionId === null) return
  const backend = await door.backendOf(await door.agents.load(agentName))
  // Its process knows what is to be forgotten: the next turn starts another.
  await door.coordinator.endProcess(live)
  const at = { type: 'before', messageId } as const
  const branch = { fromSessionId: sessionId, toSessionId: sessionId, cwd, backendSessionId, at }
  const rewound = { messageId, seq: deliveredSeq, backendSessionId: await backend.branch(branch), by }
  await live.writer.apply({ type: 'session.rewind', ...rewound, wakeMessageId: door.newMessageId() })
}
