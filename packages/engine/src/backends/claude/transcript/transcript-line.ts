// A line of the CLI's transcript, as far as it is read. The agent can write to the file: a line that does not fit is
// dropped, never guessed at.
import type { FileHandle } from 'node:fs/promises'
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

/** A file history line names the file that keeps an earlier state. */
export const isFileHistory = ({ type }: TranscriptLine): boolean => type.startsWith('file-history-')

/**
 * The conversation itself and the states of files. The rest is bookkeeping of the process that wrote it: its queue, its
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

function parseLine(text: string): TranscriptLine | null {
  try {
    const line = TranscriptLine.safeParse(JSON.parse(text))
    return line.success ? line.data : null
  } catch {
    // Half-written by a crash, or not the CLI's.
    return null
  }
}
