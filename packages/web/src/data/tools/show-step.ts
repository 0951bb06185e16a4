// Turns a call into a step: records, runs, stores and judges it, and returns what may be sent.
import { messageOf, type PrivacyLevel } from '@quarterdeck/protocol'
import type { SentPart, StepTool } from '../domain/analysis.ts'
import { commonCount, disclosureOf } from '../domain/disclosure.ts'
import { EngineError } from '../domain/query-engine.ts'
import { type Prepared, resultForModel, type SentResult } from '../privacy/result-for-model.ts'
import { withoutTexts } from '../privacy/shown-texts.ts'
import { sqlNames } from '../sql/sql-names.ts'
import { stepName } from '../steps/step-reads.ts'
import type { BegunStep } from '../steps/step-recorder.ts'
import { hasNamesFromCells, isVolatile } from '../steps/step-texts.ts'
import { failureMessage } from './failure-message.ts'
import { isSummaryStep, type Judgement, judgeInputOf, judgeQuery, type KnownTables } from './judge-step.ts'
import { namesOf, type QueryableTables, queryableTables } from './queryable-tables.ts'
import { type RanCode, runCode } from './run-code.ts'
import { type ToolDeps, ToolFailure } from './tool-deps.ts'

export interface ShownStep extends BegunStep {
  readonly tool: StepTool
  /**
   * How level 1 judges it: by the query plan, by the steps it reads, or not at all for our own queries, which leave out
   * rare values.
   */
  readonly judge: 'plan' | 'reads' | 'ours'
  readonly notes?: readonly string[]
}

export interface ShownCall {
  readonly signal: AbortSignal
  /** The current level, but never above the level at the start of the call. */
  readonly level: () => PrivacyLevel
}

const rareMark = '(rare value)'
const rareNote = `Texts in fewer than ${commonCount} rows, and texts that the query made without a count(*) next to them, are shown as ${rareMark} at this privacy level; the step itself contains them.`
const refusedNote = 'The user chose to show you counts and names only.'

/** For one run. Rejects with `ToolFailure`. */
export function createShowStep(deps: ToolDeps): (step: ShownStep, call: ShownCall) => Promise<SentResult> {
  const { steps, scope, engine, ask } = deps
  let isRefused = false

  async function allowsRows(step: ShownStep, { n, ran, judgement }: RanStep, setting: Setting): Promise<boolean> {
    if (setting.level() !== 1 || ran.rowCount === 0 || isRefused) return false
    const asked = {
      callId: step.callId,
      step: n,
      rowCount: ran.rowCount,
      tables: readBy(step, setting.tables),
      columns: ran.rows.columns.map(({ name }) => name),
      ...(judgement.smallGroups && { smallGroups: judgement.smallGroups }),
    }
    const answer = await ask.rows(asked, setting.signal)
    isRefused ||= answer !== 'allow'
    return answer === 'allow'
  }

  return async (step, call) => {
    const tables = await queryableTables(engine, scope())
    const setting = { ...call, tables, names: namesOf(tables), fromCells: hasNamesFromCells(step, steps.steps()) }
    const done = await runStep(deps, step, setting)
    let isAllowed = false
    // Repeats if the level was lowered while the user was asked or rows were stored.
    for (;;) {
      const level = call.level()
      const isOpen = opens(level, done.judgement)
      isAllowed ||= !isOpen && (await allowsRows(step, done, setting))
      if (call.level() < level) continue
      const notes = [...(step.notes ?? []), ...(!isOpen && !isAllowed && isRefused ? [refusedNote] : [])]
      const prepared = prepare(done, { ...setting, notes }, { level, isOpen, isAllowed })
      await steps.sent(done.n, sentPart(prepared, step, { judgement: done.judgement, isAllowed }))
      if (call.level() >= level) return prepared.payload
    }
  }
}

const opens = (level: PrivacyLevel, { isShown }: Judgement): boolean =>
  !disclosureOf(level).onlySummaries || (level === 1 && isShown)

function prepare(
  { n, ran, judgement }: RanStep,
  { names, fromCells, notes }: Setting & { readonly notes: readonly string[] },
  { level, isOpen, isAllowed }: { readonly level: PrivacyLevel; readonly isOpen: boolean; readonly isAllowed: boolean },
): Prepared {
  const rare = isOpen && level === 1 ? judgement.rare : new Set<string>()
  const { rowCount, elapsedMs } = ran
  return resultForModel(
    { ...withoutTexts(ran.rows, rare, rareMark), stepId: n, rowCount, elapsedMs },
    {
      level,
      showsRows: isOpen || isAllowed,
      known: { names, fromCells },
      notes: rare.size > 0 ? [...notes, rareNote] : notes,
    },
  )
}

/** From level 2 on, queries are not judged, so the kind of rows is unknown. */
function sentPart(
  { bytes, rows }: Prepared,
  { tool, reads }: ShownStep,
  { judgement, isAllowed }: { readonly judgement: Judgement; readonly isAllowed: boolean },
): SentPart {
  if (rows === 0) return { bytes, rows }
  if (judgement.isShown) return { bytes, rows, rowsKind: 'summary' }
  const isTable = tool === 'sample_rows' && reads.length === 0
  return isAllowed || isTable ? { bytes, rows, rowsKind: 'files' } : { bytes, rows }
}

/** The tables and steps that it reads, by name. */
function readBy({ code, language, reads }: ShownStep, { inScope }: QueryableTables): readonly string[] {
  const words = language === 'sql' ? new Set(sqlNames(code).map((name) => name.toLowerCase())) : new Set<string>()
  const named = inScope.map(({ name }) => name).filter((name) => words.has(name.toLowerCase()))
  return [...named, ...reads.map(stepName)]
}

type Setting = ShownCall & KnownTables

interface RanStep {
  readonly n: number
  readonly ran: RanCode
  readonly judgement: Judgement
}

async function runStep(deps: ToolDeps, step: ShownStep, setting: Setting): Promise<RanStep> {
  const { steps } = deps
  const { tables, signal, fromCells } = setting
  const began = performance.now()
  const { judge: _, notes: __, ...begun } = step
  const n = await steps.begin(begun)
  try {
    await steps.bring(step.reads, signal)
    const ran = await runCode(deps, { ...step, n }, { hidden: tables.hidden, signal })
    const judgement = await judgeStep(deps, { ...step, n, ran }, setting)
    const { rowCount, elapsedMs, content } = ran
    await steps.settle(n, { state: 'ok', rowCount, elapsedMs, content, isSummary: judgement.isSummary })
    return { n, ran, judgement }
  } catch (error) {
    const isCancelled = signal.aborted || (error instanceof EngineError && error.problem === 'cancelled')
    const elapsedMs = performance.now() - began
    await steps.settle(n, {
      state: isCancelled ? 'cancelled' : 'error',
      error: isCancelled ? null : messageOf(error),
      elapsedMs,
    })
    const names = [...setting.names, ...steps.steps().map((one) => stepName(one.n))]
    const context = { level: setting.level(), code: step.code, names, fromCells, hidden: tables.secret }
    throw new ToolFailure(failureMessage(error, { ...context, tables, steps }))
  }
}

type Judging = ShownStep & Pick<RanStep, 'n' | 'ran'>

async function judgeStep({ engine, steps }: ToolDeps, step: Judging, setting: Setting): Promise<Judgement> {
  const { signal, level } = setting
  const plain = (isSummary: boolean): Judgement => ({ isShown: isSummary, isSummary, rare: new Set() })
  if (step.judge === 'ours') return plain(true)
  if (step.judge === 'reads')
    return plain(step.reads.length > 0 && step.reads.every((n) => isSummaryStep(steps.steps(), n)))
  if (level() !== 1 || isVolatile(step, steps.steps())) return plain(false)
  return judgeQuery(engine, { ...judgeInputOf(step, () => steps.steps(), setting), rows: step.ran.rows, signal })
}
