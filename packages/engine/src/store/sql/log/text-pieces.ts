// The rows with additions to texts in progress, many texts in each.
import { SessionId } from '@quarterdeck/protocol'
import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import type { TextPiece } from '../../ports/event-store.ts'
import type { StoreTables } from '../database/tables.ts'

const Pieces = z.array(z.tuple([SessionId, z.string(), z.enum(['text', 'thinking']), z.string()]))

export const writePieces = (pieces: readonly TextPiece[]): string =>
  JSON.stringify(pieces.map(({ sessionId, messageId, kind, text }) => [sessionId, messageId, kind, text]))

const readPieces = (pieces: string) => Pieces.parse(JSON.parse(pieces))

export const textKey = (sessionId: SessionId, messageId: string, kind: string): string =>
  `${sessionId} ${kind} ${messageId}`

interface Added {
  readonly batch: number
  readonly text: string
}

/** The additions of one writer, by text and in order. */
type AddedTexts = ReadonlyMap<string, readonly Added[]>

/**
 * Reads all additions of a writer at once and caches them as long as memory allows: after a crash, each of its sessions
 * asks for its own part.
 */
export function createPieceReader(db: Kysely<StoreTables>): (writer: string) => Promise<AddedTexts> {
  let latest: { readonly name: string; readonly texts: WeakRef<Map<string, Added[]>> } | null = null

  async function read(writer: string): Promise<Map<string, Added[]>> {
    const rows = await db
      .selectFrom('text_pieces')
      .select(['batch', 'pieces'])
      .where('writer', '=', writer)
      .orderBy('batch')
      .execute()
    const texts = new Map<string, Added[]>()
    for (const { batch, pieces } of rows) {
      for (const [sessionId, messageId, kind, text] of readPieces(pieces)) {
        const key = textKey(sessionId, messageId, kind)
        const added = texts.get(key)
        if (added === undefined) texts.set(key, [{ batch, text }])
        else added.push({ batch, text })
      }
    }
    return texts
  }

  return async (writer) => {
    const end = await db
      .selectFrom('text_pieces')
      .select('batch')
      .where('writer', '=', writer)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    const name = `${writer} ${end?.batch ?? 0}`
    const known = latest?.name === name ? latest.texts.deref() : undefined
    if (known !== undefined) return known
    const texts = await read(writer)
    latest = { name, texts: new WeakRef(texts) }
    return texts
  }
}

/** Removes the pieces of a session and keeps those of others in the same rows. */
export async function removePieces(trx: Transaction<StoreTables>, sessionId: SessionId): Promise<void> {
  const rows = await trx.selectFrom('text_pieces').selectAll().where('pieces', 'like', `%${sessionId}%`).execute()
  for (const { writer, batch, pieces } of rows) {
    const others = readPieces(pieces).filter(([owner]) => owner !== sessionId)
    await trx
      .updateTable('text_pieces')
      .set({ pieces: JSON.stringify(others) })
      .where('writer', '=', writer)
      .where('batch', '=', batch)
      .execute()
  }
}

/** Drops the additions of a writer that precede all of its open texts. Returns the last dropped batch. */
export async function sweepPieces(trx: Transaction<StoreTables>, writer: string, upTo: number): Promise<number> {
  const oldest = await trx
    .selectFrom('open_texts')
    .select('since')
    .where('writer', '=', writer)
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  const batch = oldest?.since ?? upTo
  await trx.deleteFrom('text_pieces').where('writer', '=', writer).where('batch', '<=', batch).execute()
  return batch
}

/** Drops the remaining pieces of writers without an open text: a text and its additions are written together. */
export async function sweepOthers(trx: Transaction<StoreTables>, writer: string): Promise<void> {
  await trx
    .deleteFrom('text_pieces')
    .where('writer', '<>', writer)
    .where('writer', 'not in', trx.selectFrom('open_texts').select('writer'))
    .execute()
}
