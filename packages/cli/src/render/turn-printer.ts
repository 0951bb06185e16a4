// One turn as lines in a terminal: text as it streams, tools as they run, and the cost at the end.
import { stripVTControlCharacters } from 'node:util'
import {
  autoModel,
  type EventOfType,
  ellipsize,
  formatCount,
  formatDuration,
  formatUsd,
  modelLabel,
  noticeOf,
  outputExcerpt,
  type SessionState,
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
}

export function createTurnPrinter(options: TurnPrinterOptions) {
  const { write, screen, note, palette, session, hasIds, isReasonReported } = options
  const markdown = screen === undefined ? null : createMarkdownStream({ ...screen, write })
  /** Characters already written of each message that is still streaming. */
  const streamed = new Map<string, number>()
  const asked = new Set<string>()
  let isMidLine = false
  let spent = noSpending
  let reason: string | null = null
  let chosen: string | null = null

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

  function printThought(event: EventOfType<'AgentThought'>): void {
    if (!streamed.delete(event.data.messageId)) say(event.data.text)
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
          streamed.set(event.data.messageId, (streamed.get(event.data.messageId) ?? 0) + event.data.text.length)
          return say(event.data.text)
        case 'AgentStreamSnapshot': {
          // A late reader gets the text so far; part of it may be written already.
          const { kind, messageId, text } = event.data
          if (kind !== 'text' || event.agent !== null) return
          const written = streamed.get(messageId) ?? 0
          streamed.set(messageId, Math.max(written, text.length))
          return say(text.slice(written))
        }
        case 'AgentThought':
          return printThought(event)
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
          if (isError) for (const failure of failureLines(output, palette)) line(`${indent}${failure}`)
          return
        }
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
          const why = isReasonReported === true ? null : reasonOf(event)
          const summary = [
            ...(why === null ? [] : [why]),
            ...facts(event, spent, modelLabel(answered(session(), chosen))),
          ]
          line(palette.dim(`  ${visibleText(summary.join(' · '))}`))
          spent = noSpending
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

/** `null` for a turn that was completed. */
const reasonOf = ({ data: { outcome, result } }: EventOfType<'TurnEnded'>): string | null =>
  outcome === 'completed' ? null : (result.errorReason ?? outcome)

const maxFailureLines = 10

/** The first line, such as the exit code, then the lines that say why the call failed. */
function failureLines(output: string, palette: Palette): readonly string[] {
  const lines = visibleText(stripVTControlCharacters(output.trim())).split('\n')
  const [first = '', ...rest] = lines.map((line) => ellipsize(line, 200))
  const why = rest.length === 0 ? [] : outputExcerpt(rest.join('\n'), maxFailureLines)
  return [`${palette.bad('✘')} ${palette.dim(first)}`, ...why.map((line) => palette.dim(`  ${line}`))]
}
