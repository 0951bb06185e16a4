// Restores a session to before a message: its files first, then the agent's memory.
import {
  draft,
  QuarterdeckError,
  type RewindReport,
  type RewindSessionBody,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { FileRewind } from '../../backends/backend.ts'
import { requireOpen } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { RunningSession } from '../state/running-session.ts'
import { branchConversation, cutBefore, isUnsaved } from './branch-conversation.ts'
import { type FoundMessage, findMessage } from './find-message.ts'
import { whileResting } from './while-resting.ts'

export interface RewindRequest {
  readonly sessionId: SessionId
  readonly body: z.output<typeof RewindSessionBody>
  readonly by: string
}

export async function rewindSession(
  context: OperationContext,
  { sessionId, body, by }: RewindRequest,
): Promise<RewindReport> {
  const running = await context.coordinator.open(sessionId)
  requireOpen(running.writer.state())
  return whileResting(context.coordinator, running, async () => {
    const message = await findMessage(context.store, sessionId, body.messageId)
    const state = running.writer.state()
    const deliveredSeq = requireRemembered(message, state)
    // No tool ran after an unsaved message, and there is no checkpoint for it.
    const restore = isUnsaved(state, message) ? async () => noFiles : rewindFiles
    const files = body.files ? await restore(context, running, { ...body, by }) : null
    if (body.conversation && !body.dryRun) await rewindConversation(context, running, { message, deliveredSeq, by })
    const appliedSeq = running.writer.state().seq
    return { sessionId, appliedSeq, conversation: body.conversation, files: files === null ? null : listsOf(files) }
  })
}

const noFiles: FileRewind = { restored: [], notRestored: [] }

function requireRemembered(message: FoundMessage, { backendSessionId }: SessionState): number {
  const { messageId, deliveredSeq, isForgotten } = message
  if (deliveredSeq !== null && !isForgotten && backendSessionId !== null) return deliveredSeq
  const why = isForgotten ? 'was rewound before' : 'has not been delivered'
  throw new QuarterdeckError('rewind.unavailable', `message ${messageId} ${why}: there is nothing to rewind`)
}

const listsOf = ({ restored, notRestored }: FileRewind) => ({
  restored: [...restored],
  notRestored: notRestored.map((file) => ({ ...file })),
})

async function rewindFiles(
  context: OperationContext,
  running: RunningSession,
  { messageId, dryRun, by }: Pick<FoundMessage, 'messageId'> & { readonly dryRun: boolean; readonly by: string },
): Promise<FileRewind> {
  const files = await context.coordinator.useProcess(running, (session) => session.rewindFiles(messageId, { dryRun }))
  if (!dryRun) await running.writer.record([draft('FilesRewound', { messageId, ...listsOf(files), by })])
  return files
}

async function rewindConversation(
  context: OperationContext,
  running: RunningSession,
  { message, deliveredSeq, by }: { readonly message: FoundMessage; readonly deliveredSeq: number; readonly by: string },
): Promise<void> {
  const state = running.writer.state()
  const { sessionId, cwd, agentName, backendSessionId } = state
  if (backendSessionId === null) return
  const backend = await context.backendOf(await context.agents.load(agentName))
  // The process remembers the removed part, so the next turn starts another.
  await context.coordinator.endProcess(running)
  const cut = cutBefore(state, message)
  const branch = { fromSessionId: sessionId, toSessionId: sessionId, cwd, backendSessionId }
  await running.writer.apply({
    type: 'session.rewind',
    messageId: message.messageId,
    seq: deliveredSeq,
    backendSessionId: await branchConversation(backend, branch, cut),
    unsaved: cut.unsaved,
    by,
    wakeMessageId: context.newMessageId(),
  })
}
