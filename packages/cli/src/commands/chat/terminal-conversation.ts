// One session in a terminal: send messages, watch turns, interrupt them.
import type { Engine } from '@quarterdeck/engine'
import {
  isQuarterdeckError,
  isUnfinishedStatus,
  type SessionId,
  type StreamedEvent,
  type TurnOutcome,
  visibleText,
} from '@quarterdeck/protocol'
import type { TerminalAsker } from '../../prompts/terminal-asker.ts'
import { watchTurn } from '../../prompts/watch-turn.ts'
import { paletteFor } from '../../render/palette.ts'
import { activityAfter } from '../../render/tool-line.ts'
import { createTurnPrinter } from '../../render/turn-printer.ts'
import { exitCodeOfTurn } from '../../terminal/exit-codes.ts'
import { startProgress } from '../../terminal/progress.ts'
import { remark, screenOf, type Terminal } from '../../terminal/terminal.ts'

export interface ConversationOptions {
  readonly terminal: Terminal
  readonly engine: Engine
  readonly sessionId: SessionId
  /** `null` if there is no person to ask. */
  readonly asker: TerminalAsker | null
  readonly by: string
}

export type TerminalConversation = Awaited<ReturnType<typeof createTerminalConversation>>

export async function createTerminalConversation(options: ConversationOptions) {
  const { terminal, engine, sessionId, asker, by } = options
  const palette = paletteFor(terminal.stdout, terminal.env)
  let session = (await engine.sessions.getSession(sessionId)).session
  let lastSeq = session.seq
  let exitCode = 0
  let hasUnsent = false
  let isWorking = false
  let isInterrupted = false

  const printer = createTurnPrinter({
    write: (text) => terminal.stdout.write(text),
    screen: screenOf(terminal),
    note: (line) => terminal.stdout.write(`${line}\n`),
    palette,
    session: () => session,
  })

  async function watch(signal: AbortSignal): Promise<void> {
    const progress = startProgress(terminal, 'Starting the agent')
    const onEvent = (event: StreamedEvent) => {
      if (event.type === 'ApprovalRequested' || event.type === 'QuestionAsked') progress.stop()
      progress.hide()
      progress.say(activityAfter(event))
      printer.print(event)
    }
    let outcome: TurnOutcome | null = null
    isWorking = true
    isInterrupted = false
    try {
      const { approvals, questions } = session
      const open = { approvals, questions }
      if (approvals.length + questions.length > 0) progress.stop()
      const watched = await watchTurn({ engine, sessionId, after: lastSeq, open, onEvent, asker, by, signal })
      lastSeq = watched.lastSeq
      outcome = watched.ended?.data.outcome ?? null
    } finally {
      isWorking = false
      progress.stop()
      session = (await engine.sessions.getSession(sessionId)).session
      // The turn was refused before it started: no turn ended, but the message was not answered either.
      if (session.status === 'stopped_budget') outcome = 'budget_limit'
      if (outcome !== null) exitCode = exitCodeOfTurn(outcome, session)
    }
  }

  return {
    session: () => session,
    /** Of the last turn, or 2 if a line could not be sent. */
    exitCode: () => (hasUnsent ? 2 : exitCode),
    print: (text: string) => remark(terminal, visibleText(text)),
    async say(content: string, signal: AbortSignal): Promise<void> {
      try {
        await engine.sessions.sendMessage(sessionId, { content }, by)
      } catch (error) {
        if (!isQuarterdeckError(error, 'request.invalid')) throw error
        remark(terminal, `not sent: ${visibleText(error.message)}`)
        hasUnsent = true
        return
      }
      await watch(signal)
    },
    /** Shows the last answer, then continues a turn that the resumed session has under way. */
    async catchUp(signal: AbortSignal): Promise<void> {
      if (isUnfinishedStatus(session.status)) await watch(signal)
      else if (session.lastResult !== null)
        remark(terminal, palette.dim(`last answer: ${visibleText(session.lastResult)}`))
    },
    /** True while a turn is running that can be interrupted; false the second time and when idle. */
    interrupt(): boolean {
      if (!isWorking || isInterrupted) return false
      isInterrupted = true
      printer.endText()
      remark(terminal, palette.dim('\ninterrupting…'))
      engine.sessions.interrupt(sessionId, by).catch((error: unknown) => {
        const isAtRest = isQuarterdeckError(error, 'session.not-running')
        remark(terminal, isAtRest ? 'no turn is running; Ctrl-C again leaves' : visibleText(String(error)))
      })
      return true
    },
    changeModel: (model: string) =>
      engine.sessions.changeSession(sessionId, { model }, by).then(async (applied) => {
        session = (await engine.sessions.getSession(sessionId)).session
        lastSeq = Math.max(lastSeq, applied.appliedSeq)
        return applied
      }),
  }
}
