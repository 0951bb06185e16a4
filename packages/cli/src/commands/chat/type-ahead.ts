// What a person types while a turn runs: kept, and said when the turn is over.
import type { Interface } from 'node:readline/promises'
import { visibleText } from '@quarterdeck/protocol'
import { shortLine } from '../../render/tool-line.ts'

export interface TypeAhead {
  /** The next line that waits; `null` when none does. */
  take(): string | null
  /** They meant what was going on before somebody stopped it. */
  drop(): void
}

/** The prompt hands over only the lines that answer no question. */
export function keepTypeAhead(prompt: Interface, tell: (line: string) => void): TypeAhead {
  const waiting: string[] = []
  prompt.on('line', (line) => {
    const message = line.trim()
    if (message === '') return
    waiting.push(message)
    tell(`queued: ${shortLine(visibleText(message))}`)
  })
  return {
    take: () => waiting.shift() ?? null,
    drop() {
      for (const message of waiting.splice(0)) tell(`not sent: ${shortLine(visibleText(message))}`)
    },
  }
}
