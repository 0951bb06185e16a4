// Reads one answer in a terminal. Text typed before the question was shown is never used as the answer.
import { createInterface, type Interface } from 'node:readline/promises'
import { sleep } from '@quarterdeck/protocol'
import type { Palette } from '../render/palette.ts'
import { clearLine } from '../terminal/clear-line.ts'
import { remark, type Terminal } from '../terminal/terminal.ts'

export interface ReaderOptions {
  readonly terminal: Terminal
  readonly palette: Palette
  /** The prompt that already reads the terminal, if any; it keeps lines that answer no question. */
  readonly shared: Interface | undefined
  readonly onLeave: (() => void) | undefined
}

export interface Asking {
  readonly signal: AbortSignal
  /** Initial text of the line, to be edited. */
  readonly present?: string
}

/** `null` when the user left, or the question was withdrawn. */
export type ReadAnswer = (text: string, asking: Asking) => Promise<string | null>

/** Buffered input arrives within one round of the event loop; this allows for many. */
const typedBeforeMs = 30

export function createReader({ terminal, palette, shared, onLeave }: ReaderOptions): ReadAnswer {
  return async (text, { signal, present = '' }) => {
    const prompt = shared ?? createInterface({ input: terminal.stdin, output: terminal.stderr })
    try {
      if (await forgetTyped(prompt, { isOwn: shared === undefined, signal }))
        remark(terminal, palette.dim('  (text typed before this question is ignored)'))
      const answer = prompt.question(text, { signal })
      if (present !== '') prompt.write(present)
      return (await answer).trim()
    } catch {
      if (!signal.aborted) onLeave?.()
      return null
    } finally {
      if (shared === undefined) prompt.close()
    }
  }
}

/** True when input was dropped: a partial line, and without an existing prompt whole lines as well. */
async function forgetTyped(
  prompt: Interface,
  { isOwn, signal }: { readonly isOwn: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  let hasDropped = false
  const drop = () => {
    hasDropped = true
  }
  if (isOwn) prompt.on('line', drop)
  try {
    await sleep(typedBeforeMs, signal)
    signal.throwIfAborted()
  } finally {
    prompt.off('line', drop)
  }
  if (prompt.line !== '') {
    hasDropped = true
    clearLine(prompt)
  }
  return hasDropped
}
