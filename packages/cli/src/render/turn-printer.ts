// One turn as lines in a terminal: text as it streams, tools as they run, and the cost at the end.
import { stripVTControlCharacters } from 'node:util'
import {
  autoModel,
  cutOffText,
  type EventOfType,
  ellipsize,
  formatCount,
  formatDuration,
  formatUsd,
  modelLabel,
  noticeOf,
  outputExcerpt,
  type SessionState,
  type SessionStatus,
  type StreamedEvent,
  visibleText,
} from '@quarterdeck/protocol'
import { createMarkdownStream, type Screen } from './markdown/markdown-stream.ts'
import type { Palette } from './palette.ts'
import { shortSubject, toolTitle } from './tool-line.ts'

export interface TurnPrinterOptions {
  /** Receives the text of the agent. */
  readonly write: (text: string) => void
  /** Set when `write` goes to a terminal: the text of the agent is rendered as Markdown. */
  readonly screen?: Screen | undefined
  /** Receives everything else. */
  readonly note: (line: string) => void
  readonly palette: Palette
  /** The current session, for its folder and its model. */
  readonly session: () => Pick<SessionState, 'model' | 'modelSource' | 'cwd'>
  /** Whether to print the id of each subagent, which a message to it needs. */
  readonly hasIds?: boolean
  /** True when the caller prints why a turn failed. */
  readonly isReasonReported?: boolean
  /** True for a call whose denial the caller prints. */
  readonly isDenialReported?: (toolUseId: string) => boolean
}

export function createTurnPrinter(options: TurnPrinterOptions) {
  const { write, screen, note, palette, session, hasIds, isReasonReported, isDenialReported } = options
  const markdown = screen === undefined ? null : createMarkdownStream({ ...screen, write })
  /** The text already written of each message that is still streaming. */
  const streamed = new Map<string, string>()
  const asked = new Set<string>()
  let isMidLine = false
  let spent = noSpending
  let reason: string | null = null
  let chosen: string | null = null
  /** How a person stops the turn. */
  let stopped: string | null = null

  const say = (text: string) => {
    if (text === '') return
    if (markdown !== null) return markdown.push(text)
    write(visibleText(text))
    isMidLine = !text.endsWith('\n')
  }
  /** Writes the rest of an unfinished text. Call it before other output goes to the terminal. */
  const endText = () => {
    markdown?.end()
    if (isMidLine) write('\n')
    isMidLine = false
  }
  const line = (text: string) => {
    endText()
    note(text)
  }

  /** Writes the part of a message that was not written yet. */
  function sayRest({ messageId, text }: { readonly messageId: string; readonly text: string }): void {
    const written = streamed.get(messageId) ?? ''
    if (written.startsWith(text)) return
    streamed.set(messageId, text)
    if (text.startsWith(written)) return say(text.slice(written.length))
    // A secret was removed from the written text.
    endText()
    say(text)
  }

  /** Writes the rest of a message that will not grow any more. */
  function settle(message: { readonly messageId: string; readonly text: string }): void {
    sayRest(message)
    streamed.delete(message.messageId)
    endText()
  }

  return {
    /** Prints a line of another source, never in the middle of a line. */
    printLine: line,
    endText,
    print(event: StreamedEvent) {
      const indent = '  '.repeat(1 + (event.agent?.length ?? 0))
      switch (event.type) {
        case 'AgentStreamToken':
          if (event.data.kind !== 'text' || event.agent !== null) return
          streamed.set(event.data.messageId, (streamed.get(event.data.messageId) ?? '') + event.data.text)
          return say(event.data.text)
        case 'AgentStreamSnapshot':
          // A late reader gets the text so far; part of it may be written already.
          if (event.data.kind !== 'text' || event.agent !== null) return
          return sayRest(event.data)
        case 'AgentThought':
          return settle(event.data)
        case 'AgentStreamDiscarded':
          if (event.agent !== null) return
          settle(event.data)
          return line(palette.dim(`  ${visibleText(cutOffText(event.data.reason))}`))
        case 'AgentInvokedTool': {
          const { toolName, toolInput } = event.data
          return line(
            `${indent}${palette.accent('●')} ${palette.bold(toolTitle(toolName))} ${palette.dim(shortSubject(toolInput, session().cwd))}`,
          )
        }
        case 'ApprovalDecided': {
          const { toolInput, edited, by } = event.data
          if (!edited || toolInput === null) return
          const subject = shortSubject(toolInput, session().cwd)
          return line(`${indent}${palette.accent('✎')} edited by ${visibleText(by)}, runs ${palette.dim(subject)}`)
        }
        case 'ApprovalRequested':
          asked.add(event.data.toolUseId)
          return
        case 'ToolExecuted': {
          const { changedInput, toolUseId, isError, output } = event.data
          // The person who approved the call has seen what would run.
          if (changedInput !== undefined && !asked.has(toolUseId)) {
            const subject = shortSubject(changedInput, session().cwd)
            line(`${indent}${palette.accent('✎')} changed by a hook, ran ${palette.dim(subject)}`)
          }
          if (isError && isDenialReported?.(toolUseId) === true) return line(`${indent}${palette.bad('✘')} denied`)
          if (isError) for (const failure of failureLines(output, palette)) line(`${indent}${failure}`)
          return
        }
        case 'AgentSessionStatusChanged':
          stopped = stopLabels[event.data.to] ?? stopped
          return
        case 'ClientToolCalled':
          return line(`${indent}${palette.dim(clientLine(event.data))}`)
        case 'SubagentStarted':
          return line(
            `${indent}${palette.accent('▸')} ${visibleText(`${event.data.agentType}: ${event.data.description}`)}` +
              (hasIds === true ? palette.dim(`  ${visibleText(event.data.agentId)}`) : ''),
          )
        case 'ModelChosen':
          chosen = event.data.model
          return
        case 'UsageRecorded':
          spent = add(spent, event.data)
          return
        case 'TurnEnded': {
          reason = event.data.result.errorReason
          const why = isReasonReported === true ? null : reasonOf(event, stopped)
          const summary = [
            ...(why === null ? [] : [why]),
            ...facts(event, spent, modelLabel(answered(session(), chosen))),
          ]
          line(palette.dim(`  ${visibleText(summary.join(' · '))}`))
          spent = noSpending
          stopped = null
          return
        }
        default: {
          const notice = noticeOf(event)
          // The chat prints the result of `/model` itself.
          if (notice === null || notice.kind === 'model') return
          // Already printed with the end of the turn, or printed by the caller.
          if (event.type === 'AgentSessionFailed' && event.data.reason === reason && event.data.errors.length === 0)
            return
          line(`${indent}${palette.dim(visibleText(notice.text))}`)
        }
      }
    },
  }
}

/** The model that the rules chose, if they choose. */
const answered = <S extends Pick<SessionState, 'model'>>(session: S, chosen: string | null): S =>
  session.model === autoModel && chosen !== null ? { ...session, model: chosen } : session

const clientLine = ({ toolName, leader }: EventOfType<'ClientToolCalled'>['data']): string =>
  leader === null
    ? `waiting for a client that runs ${toolTitle(toolName)}`
    : `waiting for the client ${visibleText(leader)}`

interface Spending {
  readonly input: number
  readonly output: number
  readonly usd: number
  readonly isUnpriced: boolean
}

const noSpending: Spending = { input: 0, output: 0, usd: 0, isUnpriced: false }

function add(sum: Spending, { tokens, costUsd }: EventOfType<'UsageRecorded'>['data']): Spending {
  return {
    input: sum.input + tokens.input + tokens.cacheRead + tokens.cacheWrite,
    output: sum.output + tokens.output,
    usd: sum.usd + (costUsd ?? 0),
    isUnpriced: sum.isUnpriced || costUsd === null,
  }
}

function facts({ data }: EventOfType<'TurnEnded'>, spent: Spending, model: string): readonly string[] {
  const money = spent.isUnpriced ? 'price unknown' : formatUsd(spent.usd)
  const tokens = `${formatCount(spent.input)} in, ${formatCount(spent.output)} out`
  return [model, tokens, money, formatDuration(data.durationMs)]
}

const stopLabels: Partial<Record<SessionStatus, string>> = { pausing: 'paused', cancelling: 'cancelled' }

/** `null` for a turn that was completed. */
function reasonOf({ data: { outcome, result } }: EventOfType<'TurnEnded'>, stopped: string | null): string | null {
  if (outcome === 'completed') return null
  return (outcome === 'interrupted' ? stopped : null) ?? result.errorReason ?? outcome
}

const maxFailureLines = 10

/** The first line, such as the exit code, then the lines that say why the call failed. */
function failureLines(output: string, palette: Palette): readonly string[] {
  const lines = visibleText(stripVTControlCharacters(output.trim())).split('\n')
  const [first = '', ...rest] = lines.map((line) => ellipsize(line, 200))
  const why = rest.length === 0 ? [] : outputExcerpt(rest.join('\n'), maxFailureLines)
  return [`${palette.bad('✘')} ${palette.dim(first)}`, ...why.map((line) => palette.dim(`  ${line}`))]
}
