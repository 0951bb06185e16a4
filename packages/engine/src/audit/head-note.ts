// A note of one commit, kept outside the database: the end of the audit chain and the last event of the changed sessions.
import { parseJson } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { AuditHead } from './audit-entry.ts'

export const HeadNote = z.object({
  /** How many entries the chain had, and the hash of the last one. */
  entries: z.int().min(0),
  hash: z.string(),
  /** The last event of each session this commit wrote to; 0 for a session it deleted. */
  sessions: z.record(z.string(), z.int().min(0)),
})
export type HeadNote = z.infer<typeof HeadNote>

export const lineOfNote = (note: HeadNote): string => `${JSON.stringify(note)}\n`

/** Lines that are not a note are skipped: a crash in the middle of a write leaves part of one. */
export const notesIn = (text: string): readonly HeadNote[] =>
  text.split('\n').flatMap((line) => {
    if (line === '') return []
    const { success, data } = HeadNote.safeParse(parseJson(line))
    return success ? [data] : []
  })

/** The note with the most entries. Several processes write one file, so it may not be the last line. */
export const furthestOf = (notes: readonly HeadNote[]): AuditHead | null =>
  notes.reduce<HeadNote | null>((most, note) => (most === null || note.entries > most.entries ? note : most), null)
