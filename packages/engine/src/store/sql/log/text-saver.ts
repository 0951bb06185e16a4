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

/** Pieces that no open text needs are dropped with an abandoned text, or after this many batches. */
const batchesPerSweep = 50

interface Waiting {
  readonly change: WholeText | readonly TextPiece[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Each call resolves when its text is written. Texts that wait at the same moment are one batch: they are written, and
 * fail, together.
 */
export function createTextSaver(hot: HotQueries, commitUnsynced: Commit): TextSaver {
  /** Unique to this store instance, which counts its own batches. */
  const writer = randomUUID()
  let batch = 0
  let lastSweep = 0
  /** Everything up to this batch has been dropped. */
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

  /** The batch is queued with its first text; later texts join it. */
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
      // It may have failed before it took anything.
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

/** A batch contains a text either as a whole or in pieces: an addition to a text saved in the same batch is merged. */
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
