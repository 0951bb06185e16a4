// Cuts a conversation at a point, by the order of lines. One process at a time appends to the file, so line order is
// time order, even across compactions, where the links between lines start over.
import type { BranchPoint } from '../../backend.ts'
import { messageUuids } from '../cli/message-uuid.ts'
import type { TranscriptLine } from './transcript-line.ts'

/** `null` if there is no such point. */
export function cutTranscript(lines: readonly TranscriptLine[], at: BranchPoint): readonly TranscriptLine[] | null {
  switch (at.type) {
    case 'end':
      return lines
    case 'before': {
      const index = firstOf(lines, messageUuids(at.messageId))
      return index < 0 ? null : lines.slice(0, index)
    }
    case 'after': {
      const index = lastOf(lines, at.messageId)
      return index < 0 ? null : lines.slice(0, index + 1)
    }
  }
}

/** Whether the conversation has any message. */
export const isConversation = (lines: readonly TranscriptLine[]): boolean =>
  lines.some(({ type }) => type === 'user' || type === 'assistant')

function firstOf(lines: readonly TranscriptLine[], uuids: readonly string[]): number {
  const isIt = (id: string | undefined) => id !== undefined && uuids.includes(id)
  const found = lines.findIndex(({ uuid, attachment }) => isIt(uuid) || isIt(attachment?.source_uuid))
  const boundary = lines.slice(0, Math.max(0, found)).findLastIndex(({ subtype }) => subtype === 'compact_boundary')
  // The command that requested a compaction is written after it.
  return boundary >= 0 && lines.slice(boundary, found).every(isOfCompaction) ? boundary : found
}

const isOfCompaction = ({ type, isMeta, isCompactSummary }: TranscriptLine): boolean =>
  type === 'user' ? isMeta === true || isCompactSummary === true : type !== 'assistant'

/** The model message with the results of its calls: a call without a result cannot be continued. */
function lastOf(lines: readonly TranscriptLine[], apiMessageId: string): number {
  const calls = new Set<string>()
  let last = -1
  for (const [index, { type, message, attachment }] of lines.entries()) {
    const blocks = Array.isArray(message?.content) ? message.content : []
    if (type === 'assistant' && message?.id === apiMessageId) {
      last = index
      for (const { id } of blocks) if (id !== undefined) calls.add(id)
    } else if (type === 'user' && blocks.some(({ tool_use_id: id }) => id !== undefined && calls.has(id))) {
      last = index
    } else if (last >= 0 && index === last + 1 && attachment?.type === 'structured_output') {
      // The structured answer. The result of its call only confirms it.
      last = index
    }
  }
  return last
}
