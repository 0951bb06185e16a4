// A session as a readable transcript: messages and decisions of people, and the work of the agent.
import { isDurable, type SessionState, type StreamedEvent, visibleText } from '@quarterdeck/protocol'
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { createPeopleLines } from '../../render/people-lines.ts'
import { createTurnPrinter } from '../../render/turn-printer.ts'
import { commandFor } from '../../terminal/command-line.ts'
import { screenOf, type Terminal } from '../../terminal/terminal.ts'

export interface TranscriptOptions {
  readonly session: SessionState
  readonly write: (text: string) => void
  /** Whether to print the ids of messages and subagents, which other commands need. */
  readonly hasIds: boolean
  /** Of the data folder, for printed commands. */
  readonly flags: SharedFlags
}

export function createTranscriptPrinter(
  terminal: Terminal,
  { session, write, hasIds, flags }: TranscriptOptions,
): (event: StreamedEvent) => void {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const printer = createTurnPrinter({
    write,
    palette,
    hasIds,
    screen: screenOf(terminal),
    note: (line) => write(`${line}\n`),
    session: () => session,
  })
  const peopleLines = createPeopleLines({
    palette,
    commandFor: (command) => commandFor(terminal, command, flags),
    session,
    hasIds,
  })
  return (event) => {
    const isCutOff = event.type === 'AgentStreamDiscarded' && event.agent === null
    const isAnswer = event.type === 'AgentThought' || isCutOff
    if (hasIds && (event.type === 'UserMessageDelivered' || isAnswer)) printer.printLine('')
    for (const line of peopleLines(event)) printer.printLine(line)
    if (hasIds && isAnswer && isDurable(event)) {
      // A session cannot be forked at a cut-off answer.
      const number = isCutOff ? '' : palette.dim(`  event ${event.seq}`)
      printer.printLine(palette.bold(`${visibleText(session.agentName)}:`) + number)
    }
    printer.print(event)
  }
}
