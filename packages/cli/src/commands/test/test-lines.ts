// Test results as text: one line per case with its problems below, and a summary.
import { type CaseResult, costOfTurns, type TestReport, type TurnResult } from '@quarterdeck/engine'
import { formatDuration, formatUsd, visibleText } from '@quarterdeck/protocol'
import type { Palette } from '../../render/palette.ts'

export interface CaseStyle {
  readonly palette: Palette
  readonly isVerbose: boolean
  /** With a persistent log, the session can be read afterwards. */
  readonly showsSession: boolean
}

export function caseLines(result: CaseResult, { palette, isVerbose, showsSession }: CaseStyle): readonly string[] {
  const mark = result.passed ? palette.good('✓') : palette.bad('✗')
  const durationMs = result.turns.reduce((sum, turn) => sum + turn.durationMs, 0)
  const head = `${mark} ${oneLine(result.name)} ${palette.dim(`(${formatDuration(durationMs)})`)}`
  const isConversation = result.type === 'conversation'
  const beneath = result.turns.flatMap((turn, index) => {
    const lines = [...reasons(turn), ...(isVerbose ? details(turn) : [])]
    return lines.map((line) => indented(isConversation ? `turn ${index + 1}: ${line}` : line))
  })
  const warnings = result.warnings.map((warning) => indented(palette.warning(`warning: ${warning}`)))
  const session = showsSession && (isVerbose || !result.passed) && result.sessionId !== null
  return [head, ...beneath, ...warnings, ...(session ? [indented(palette.dim(`session ${result.sessionId}`))] : [])]
}

/** The reason why an agent cannot run applies to all its cases: it is printed with the first. */
export function createReasonsReportedOnce(): (result: CaseResult) => CaseResult {
  const reported = new Set<string>()
  const shortened = (turn: TurnResult): TurnResult => {
    if (turn.hasRun || turn.error === null) return turn
    if (reported.has(turn.error)) return { ...turn, error: 'could not run either: see above' }
    reported.add(turn.error)
    return turn
  }
  return (result) => ({ ...result, turns: result.turns.map(shortened) })
}

export function summaryLine(
  report: TestReport,
  { palette, modelSource }: { readonly palette: Palette; readonly modelSource: 'provider' | 'simulator' },
): string {
  const { results, total, durationMs } = report
  const passed = results.filter((result) => result.passed).length
  const failed = results.length - passed
  const counts = [
    `${passed} passed`,
    ...(failed === 0 ? [] : [palette.bad(`${failed} failed`)]),
    ...(total === results.length ? [] : [`${total - results.length} not run`]),
  ]
  const cost = costOfTurns(results.flatMap(({ turns }) => turns))
  const reported = cost === null ? '' : ` · ${formatUsd(cost)}`
  // Marks simulated answers and prices, so that they are not mistaken for those of a provider.
  const who = modelSource === 'simulator' ? ' · simulator' : ''
  return `${total} ${total === 1 ? 'case' : 'cases'}: ${counts.join(', ')} · ${formatDuration(durationMs)}${reported}${who}`
}

function reasons(turn: TurnResult): readonly string[] {
  if (turn.isSkipped) return ['not sent: the session failed before']
  return [
    ...(turn.error === null ? [] : [turn.error]),
    ...turn.expectedTools.flatMap(({ reason }) => (reason === null ? [] : [reason])),
    ...turn.metrics.flatMap(({ name, passed, reason }) => (passed || reason === null ? [] : [`${name}: ${reason}`])),
  ]
}

function details(turn: TurnResult): readonly string[] {
  return [
    `asked: ${turn.input}`,
    `answered: ${turn.response}`,
    ...turn.toolCalls.map(({ name, arguments: given }) => `called: ${name} ${JSON.stringify(given)}`),
    ...turn.metrics.map(({ name, score, threshold }) => {
      const mark = threshold === null ? '' : `, at least ${threshold}`
      return `measured: ${name} ${score ?? 'could not be measured'}${mark}`
    }),
  ]
}

const indented = (text: string): string =>
  visibleText(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')

const oneLine = (text: string): string => visibleText(text).replaceAll(/\s+/g, ' ')
