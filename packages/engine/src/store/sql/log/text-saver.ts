import { randomUUID } from 'node:crypto'
import type { AgentStreamSnapshot, SessionId } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import type { TextPiece } from '../../ports/event-store.ts'
import type { TextKind } from '../../ports/settled-texts.ts'
import { type HotQueries, rowsPerInsert } from '../database/compile-hot-queries.ts'
import type { Commit } from '../database/group-commit.ts'
import type { OpenTextRow, StoreTables } from '../database/tables.ts'
import { sweepOthers, sweepPieces, textKey, writePieces } from './text-pieces.ts'

export interface WholeText {
  readonly sessionId: SessionId
  readonly openedAt: string
  readonly text: AgentStreamSnapshot
}

export interface TextSaver {
  save(whole: WholeText): Promise<void>
  add(pieces: readonly TextPiece[]): Promise<void>
  drop(sessionId: SessionId, messageId: string, kind: TextKind): Promise<void>
}

/** What no open text needs any more is dropped with a text that is given up, and after so many batches without that. */
const batchesPerSweep = 50

interface Waiting {
  readonly change: WholeText | readonly TextPiece[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Each resolves when it is written. What waits at the same moment is written, and fails, together: that is a batch. */
export function createTextSaver(hot: HotQueries, commitUnsynced: Commit): TextSaver {
  /** Nobody else's: batches are counted here. */
  const writer = randomUUID()
  let batch = 0
  let lastSweep = 0
  /** Up to here nothing is left. */
  let swept = 0
  let waiting: Waiting[] = []

  async function sweep(trx: Transaction<StoreTables>): Promise<void> {
    if (swept === batch) return
    if (lastSweep === 0) await sweepOthers(trx, writer)
    lastSweep = batch
    swept = await sweepPieces(trx, writer, batch)
  }

  async function write(trx: Transaction<StoreTables>, group: readonly Waiting[]): Promise<void> {
    batch += 1
    const { wholes, pieces } = gather(group)
    const rows = wholes.map((whole) => rowOf(whole, writer, batch))
    for (let at = 0; at < rows.length; at += rowsPerInsert) {
      await trx.executeQuery(hot.saveTexts(rows.slice(at, at + rowsPerInsert)))
    }
    if (pieces.length > 0) await trx.executeQuery(hot.addPieces(writer, batch, writePieces(pieces)))
    if (batch - lastSweep >= batchesPerSweep) await sweep(trx)
  }

  /** Its place among the other writes is that of the first who waits; the rest comes along. */
  async function writeGroup(): Promise<void> {
    let group: Waiting[] = []
    const take = () => {
      group = waiting
      waiting = []
    }
    try {
      await commitUnsynced((trx) => {
        take()
        return write(trx, group)
      })
      for (const { resolve } of group) resolve()
    } catch (error) {
      // It may have failed before it got to take anything.
      if (group.length === 0) take()
      for (const { reject } of group) reject(error)
    }
  }

  const put = (change: Waiting['change']): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      if (waiting.length === 1) void writeGroup()
    })

  return {
    save: put,
    add: put,
    drop: (sessionId, messageId, kind) =>
      commitUnsynced(async (trx) => {
        await trx.executeQuery(hot.dropText(sessionId, messageId, kind))
        await sweep(trx)
      }),
  }
}

/** A batch has a text either whole or in pieces: what is added to one that is saved with it goes into the whole. */
function gather(group: readonly Waiting[]) {
  const wholes = new Map<string, WholeText>()
  let pieces: TextPiece[] = []
  for (const { change } of group) {
    if ('openedAt' in change) {
      const { sessionId, text } = change
      const key = textKey(sessionId, text.data.messageId, text.data.kind)
      wholes.set(key, change)
      pieces = pieces.filter((piece) => keyOf(piece) !== key)
    } else {
      for (const piece of change) {
        const whole = wholes.size === 0 ? undefined : wholes.get(keyOf(piece))
        if (whole === undefined) pieces.push(piece)
        else wholes.set(keyOf(piece), withPiece(whole, piece))
      }
    }
  }
  return { wholes: [...wholes.values()], pieces }
}

const keyOf = ({ sessionId, messageId, kind }: TextPiece): string => textKey(sessionId, messageId, kind)

function withPiece(whole: WholeText, piece: TextPiece): WholeText {
  const { data } = whole.text
  return { ...whole, text: { ...whole.text, data: { ...data, text: data.text + piece.text } } }
}

function rowOf({ sessionId, openedAt, text }: WholeText, writer: string, since: number): OpenTextRow {
  const { messageId, kind } = text.data
  const key = { session_id: sessionId, message_id: messageId, kind }
  return { ...key, opened_at: openedAt, snapshot: JSON.stringify(text), writer, since }
}
