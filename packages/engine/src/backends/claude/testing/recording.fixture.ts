// SDK traffic on disk: one message per line with the milliseconds since the first. Details of the recording machine are
// removed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const folder = join(import.meta.dirname, '..', 'recordings')

const Line = z.object({ at: z.number(), message: z.unknown() })
export type RecordedLine = z.infer<typeof Line>

export function createRecorder(root: string) {
  const lines: RecordedLine[] = []
  const start = Date.now()
  return {
    tap(message: unknown): void {
      lines.push({ at: Date.now() - start, message })
    },
    save(name: string): void {
      mkdirSync(folder, { recursive: true })
      const text = lines.map((line) => JSON.stringify(line)).join('\n')
      writeFileSync(join(folder, `${name}.jsonl`), `${redact(text, root)}\n`)
    },
  }
}

export function readRecording(name: string): readonly RecordedLine[] {
  const text = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

export const recordingNames = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace('.jsonl', ''))

/** The CLI writes a path both literally and with dashes instead of slashes. */
function redact(text: string, root: string): string {
  return text
    .replaceAll(root, '/recorded')
    .replaceAll(root.replaceAll(/[^A-Za-z0-9]/g, '-'), '-recorded')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4300')
    .replaceAll(/claude-\d+\//g, 'claude-1000/')
}
