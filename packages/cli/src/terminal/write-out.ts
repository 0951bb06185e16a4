// Writes the file of --out, readable by its owner only.
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { misuse } from './misuse.ts'
import type { Terminal } from './terminal.ts'

/** Throws `request.invalid` with the path if it cannot be written; errors of the chunks pass through. */
export async function writeOut(terminal: Terminal, out: string, chunks: AsyncIterable<string>): Promise<void> {
  const path = resolve(terminal.cwd, out)
  try {
    await pipeline(chunks, createWriteStream(path, { mode: 0o600 }))
  } catch (cause) {
    const isOfSystem = cause instanceof Error && 'syscall' in cause
    if (!isOfSystem) throw cause
    throw misuse(`--out ${path} cannot be written: ${cause.message}`, { cause })
  }
}
