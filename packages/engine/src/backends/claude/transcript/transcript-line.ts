// The fields of a transcript line that are read. The agent can write to the file, so a line that does not match is
// dropped.

import type { FileHandle } from 'node:fs/promises'
import { parseJson } from '@quarterdeck/protocol'
import { z } from 'zod'

const Block = z.looseObject({ type: z.string(), id: z.string().optional(), tool_use_id: z.string().optional() })

export const TranscriptLine = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  uuid: z.string().optional(),
  cwd: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  message: z
    .looseObject({ id: z.string().optional(), content: z.union([z.string(), z.array(Block)]).optional() })
    .optional(),
  attachment: z.looseObject({ type: z.string(), source_uuid: z.string().optional() }).optional(),
})
export type TranscriptLine = z.infer<typeof TranscriptLine>

/** A file history line names the backup file. */
export const isFileHistory = ({ type }: TranscriptLine): boolean => type.startsWith('file-history-')

/**
 * The conversation and the file backups. Other lines are bookkeeping of the process that wrote them: its queue, its
 * requests, its totals.
 */
const survivesBranch = (line: TranscriptLine): boolean =>
  isFileHistory(line) || (line.uuid !== undefined && 'parentUuid' in line)

export async function readTranscript(file: FileHandle): Promise<readonly TranscriptLine[]> {
  const lines: TranscriptLine[] = []
  for await (const text of file.readLines({ encoding: 'utf8' })) {
    const line = parseLine(text)
    if (line !== null && survivesBranch(line)) lines.push(line)
  }
  return lines
}

/** `null` for a line that is not the CLI's, or that a crash left half-written. */
const parseLine = (text: string): TranscriptLine | null => TranscriptLine.safeParse(parseJson(text)).data ?? null
