// Lines typed while a turn runs. They are queued and sent when the turn ends.
import type { Interface } from 'node:readline/promises'
import { visibleText } from '@quarterdeck/protocol'
import { shortLine } from '../../render/tool-line.ts'

export interface TypeAhead {
  /** The next queued line, or `null`. */
  take(): string | null
  /** Drops the queue: the lines were meant for the turn that was stopped. */
  drop(): void
}

/** The prompt emits only lines that do not answer a question. */
export function keepTypeAhead(prompt: Interface, print: (line: string) => void): TypeAhead {
  const waiting: string[] = []
  prompt.on('line', (line) => {
    const message = line.trim()
    if (message === '') return
    waiting.push(message)
    print(`queued: ${shortLine(visibleText(message))}`)
  })
  return {
    take: () => waiting.shift() ?? null,
    drop() {
      for (const message of waiting.splice(0)) print(`not sent: ${shortLine(visibleText(message))}`)
    },
  }
}
