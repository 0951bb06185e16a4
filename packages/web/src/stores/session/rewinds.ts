// Items that a rewind undid: they are in the log, but no longer in the conversation or the files.
import type { SessionEvent, ToolItem, TranscriptItem } from '@quarterdeck/protocol'
import { shortPath } from '../transcript/tool-call.ts'

export interface PastRewind {
  /** The rewind restored the state before this message. */
  readonly messageId: string
  readonly seq: number
  /** The restored files, relative to the working directory; `null` for a rewind of the conversation. */
  readonly restored: readonly string[] | null
}

export function foldRewinds(rewinds: readonly PastRewind[], events: readonly SessionEvent[]): readonly PastRewind[] {
  const more = events.flatMap((event): readonly PastRewind[] => {
    if (event.type !== 'AgentSessionRewound' && event.type !== 'FilesRewound') return []
    const restored = event.type === 'FilesRewound' ? event.data.restored : null
    return [{ messageId: event.data.messageId, seq: event.seq, restored }]
  })
  return more.length === 0 ? rewinds : [...rewinds, ...more]
}

/** Keys of the items that are no longer part of the conversation. */
export const forgottenKeys = (items: readonly TranscriptItem[], rewinds: readonly PastRewind[]): ReadonlySet<string> =>
  new Set(
    rewinds
      .filter(({ restored }) => restored === null)
      .flatMap((rewind) => itemsUndoneBy(rewind, items).map(({ key }) => key)),
  )

/** Tool calls, except those whose file change a rewind undid. */
export function callsNotUndone(
  items: readonly TranscriptItem[],
  rewinds: readonly PastRewind[],
  folder: string,
): readonly ToolItem[] {
  const undone = new Set(
    rewinds.flatMap((rewind) =>
      itemsUndoneBy(rewind, items).filter((item) => {
        const path = item.type === 'tool' ? item.toolInput.file_path : null
        return typeof path === 'string' && rewind.restored?.includes(shortPath(path, folder)) === true
      }),
    ),
  )
  return items.filter((item) => item.type === 'tool').filter((item) => !undone.has(item))
}

/** Items from the message of the rewind up to the rewind. */
function itemsUndoneBy({ messageId, seq }: PastRewind, items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const from = items.findIndex((item) => item.key === messageId)
  return from === -1 ? [] : items.slice(from).filter((item) => item.seq !== null && item.seq < seq)
}
