// The beginning of a conversation, up to a point. By the order of lines: one process at a time adds to the file, so it
// is the order of time, also across compactions, where the links between lines begin anew.
import type { BranchPoint } from '../../backend.ts'
import { messageUuids } from '../cli/message-uuid.ts'
import type { TranscriptLine } from './transcript-line.ts'

/** `null` when there is no such point. */
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

/** Whether anybody has said anything. */
export const isConversation = (lines: readonly TranscriptLine[]): boolean =>
  lines.some(({ type }) => type === 'user' || type === 'assistant')

function firstOf(lines: readonly TranscriptLine[], uuids: readonly string[]): number {
  const isIt = (id: string | undefined) => id !== undefined && uuids.includes(id)
  const found = lines.findIndex(({ uuid, attachment }) => isIt(uuid) || isIt(attachment?.source_uuid))
  const boundary = lines.slice(0, Math.max(0, found)).findLastIndex(({ subtype }) => subtype === 'compact_boundary')
  // What asked for a compaction is written behind it.
  return boundary >= 0 && lines.slice(boundary, found).every(isOfCompaction) ? boundary : found
}

const isOfCompaction = ({ type, isMeta, isCompactSummary }: TranscriptLine): boolean =>
  type === 'user' ? isMeta === true || isCompactSummary === true : type !== 'assistant'

/** The model's message with the results of its calls: a call without its result cannot be continued from. */
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
      // The answer itself, where the call that gave it only says that it was given.
      last = index
    }
  }
  return last
}
