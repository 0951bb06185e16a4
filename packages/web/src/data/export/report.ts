// An analysis as a document: questions, answers, and the steps behind them.
import { type Analysis, type AnalysisStep, isEdited, isOpenRun, type Run } from '../domain/analysis.ts'
import type { Rows } from '../domain/cells.ts'
import { countLabel } from '../domain/count-label.ts'
import type { AnswerPiece } from '../domain/proof.ts'
import { changedBasis } from '../steps/changed-basis.ts'
import { stepTitle } from '../steps/step-title.ts'

export interface ReportOptions {
  /** The questions, in order. */
  readonly runIds: readonly string[]
  readonly answers: boolean
  readonly charts: boolean
  readonly steps: boolean
  /** The first rows of each step. They are data of the user's files. */
  readonly rows: boolean
}

export interface Report {
  readonly title: string
  readonly changedAt: string
  readonly tables: Analysis['tables']
  readonly sections: readonly ReportSection[]
}

export interface ReportSection {
  readonly runId: string
  readonly question: string
  readonly askedAt: string
  /** Set if steps changed after the answer. */
  readonly outdated: string | null
  /** Markdown of the model; numbers without a source are marked. */
  readonly answer: string | null
  readonly caveats: readonly string[]
  readonly charts: readonly ReportChart[]
  readonly steps: readonly ReportStep[]
}

export interface ReportChart {
  readonly title: string
  /** `null` if the rows are shown instead. */
  readonly svg: string | null
  readonly facts: readonly string[]
  /** The drawn numbers. */
  readonly table: ReportRows
}

export interface ReportStep {
  readonly n: number
  readonly title: string
  readonly language: AnalysisStep['language']
  readonly code: string
  /** "52 rows, 412 ms, edited by hand" */
  readonly facts: string
  readonly error: string | null
  readonly rows: ReportRows | null
}

export interface ReportRows extends Rows {
  /** The number of further rows. */
  readonly more: number
}

export const mostReportRows = 100

/** The limit of a report, because these are rows of the user's files. */
export function firstRows({ columns, rows }: Rows, rowCount: number | null): ReportRows {
  const first = rows.slice(0, mostReportRows)
  return { columns, rows: first, more: Math.max(rowCount ?? 0, rows.length) - first.length }
}

export interface ReportParts {
  readonly charts: ReadonlyMap<string, readonly ReportChart[]>
  readonly rowsByStep: ReadonlyMap<number, Rows>
  /** For answers whose numbers were checked. */
  readonly pieces: ReadonlyMap<string, readonly AnswerPiece[]>
}

export function reportOf(analysis: Analysis, options: ReportOptions, parts: ReportParts): Report {
  const { title, changedAt, tables, runs } = analysis
  const chosen = options.runIds.flatMap((id) => runs.filter((run) => run.id === id))
  const allSteps = runs.flatMap(({ steps }) => steps)
  return {
    title,
    changedAt,
    tables,
    sections: chosen.map((run) => ({
      ...sectionOf(run, options, parts),
      outdated: options.answers ? outdatedLabel(changedBasis(run, allSteps)) : null,
    })),
  }
}

function sectionOf(run: Run, options: ReportOptions, parts: ReportParts): Omit<ReportSection, 'outdated'> {
  return {
    runId: run.id,
    question: run.question,
    askedAt: run.startedAt,
    answer: options.answers ? (answerOf(run, parts) ?? unanswered(run)) : null,
    caveats: options.answers ? (run.answer?.caveats ?? []) : [],
    charts: options.charts ? (parts.charts.get(run.id) ?? []) : [],
    steps: options.steps && !isOpenRun(run) ? run.steps.map((step) => stepOf(step, options, parts)) : [],
  }
}

function outdatedLabel(changed: readonly number[]): string | null {
  if (changed.length === 0) return null
  const steps = `${changed.length === 1 ? 'step' : 'steps'} ${changed.join(', ')}`
  return `Based on an earlier version of ${steps}: changed since this was answered.`
}

function answerOf({ id, answer }: Run, { pieces }: ReportParts): string | undefined {
  if (answer === null) return undefined
  return pieces.get(id)?.map(pieceText).join('') ?? answer.answer
}

const pieceText = (piece: AnswerPiece): string =>
  piece.kind === 'number' && piece.proof === null ? `${piece.text} (unverified)` : piece.text

function stepOf(step: AnalysisStep, { rows }: ReportOptions, { rowsByStep }: ReportParts): ReportStep {
  const found = rows ? rowsByStep.get(step.n) : undefined
  const facts = [
    ...(step.rowCount === null ? [] : [countLabel(step.rowCount, 'row')]),
    ...(step.elapsedMs === null ? [] : [`${Math.round(step.elapsedMs)} ms`]),
    ...(isEdited(step) ? ['edited by hand'] : []),
    ...(step.state === 'stale' ? ['based on an earlier version'] : []),
  ]
  return {
    n: step.n,
    title: stepTitle(step),
    language: step.language,
    code: step.code,
    facts: facts.join(', '),
    error: step.state === 'error' ? (step.error ?? 'The step failed.') : null,
    rows: found === undefined ? null : firstRows(found, step.rowCount),
  }
}

function unanswered(run: Run): string {
  if (isOpenRun(run)) return 'Not answered yet.'
  const { state, failure } = run
  return state === 'failed' ? `Not answered: ${failure?.message ?? 'it ended early.'}` : 'Not answered.'
}
