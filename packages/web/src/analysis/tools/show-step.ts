// A call becomes a step: it is written down, run, kept, judged, and what of it may leave is returned.
import type { StepTool } from '../analysis.ts'
import { disclosureOf } from '../disclosure.ts'
import { EngineError } from '../engine.ts'
import { resultForModel, type SentResult } from '../privacy/result-for-model.ts'
import { withoutTexts } from '../privacy/shown-texts.ts'
import { sqlNames } from '../steps/sql-names.ts'
import type { BegunStep } from '../steps/step-book.ts'
import { stepName, stepNumber } from '../steps/step-reads.ts'
import { failureWords } from './failure-words.ts'
import { type Judgement, judgeQuery } from './judge-step.ts'
import { type KnownTables, knownTables, namesOf } from './known-tables.ts'
import { type RanCode, runCode } from './run-code.ts'
import type { AskedRows, ToolDeps } from './tool-deps.ts'
import { ToolFailure } from './tool-failure.ts'

export interface ShownStep extends BegunStep {
  readonly tool: StepTool
  /**
   * How level 1 looks at it: by how its query ran, by what the steps are that it reads, or not, where the query is ours
   * and gives away nothing.
   */
  readonly judge: 'plan' | 'reads' | 'safe'
  readonly notes?: readonly string[]
}

const rareMark = '(rare value)'
const rareNote = `Texts that fewer than 5 rows have are shown as ${rareMark} at this privacy level; the step itself has them.`
const refusedNote = 'The person chose to show you counts and names only.'

/** For one run. Rejects with `ToolFailure`. */
export function createShowStep(deps: ToolDeps): (step: ShownStep, signal: AbortSignal) => Promise<SentResult> {
  const { steps, level, scope, engine, ask } = deps
  let isRefused = false

  async function allowsRows(step: ShownStep, facts: Omit<AskedRows, 'callId'>, signal: AbortSignal): Promise<boolean> {
    if (level() !== 1 || facts.rowCount === 0 || isRefused) return false
    const said = await ask.rows({ callId: step.callId, ...facts }, signal)
    isRefused ||= said !== 'allow'
    // Whoever lowers the level while it is asked has answered too.
    return said === 'allow' && level() >= 1
  }

  return async (step, signal) => {
    const tables = await knownTables(engine, scope())
    const names = [...namesOf(tables), ...stepWords(deps)]
    const { n, ran, judgement } = await runStep(deps, step, { tables, names, signal })
    const isOpen = !disclosureOf(level()).onlySummaries || (level() === 1 && judgement.isSummary)
    const asked = {
      ...{ step: n, rowCount: ran.rowCount, tables: readBy(step, tables) },
      columns: ran.rows.columns.map(({ name }) => name),
    }
    const isAllowed = isOpen || (await allowsRows(step, asked, signal))
    const rare = isOpen && level() === 1 ? judgement.rare : new Set<string>()
    const notes = [...(step.notes ?? [])]
    if (rare.size > 0) notes.push(rareNote)
    if (!isAllowed && isRefused) notes.push(refusedNote)
    const rows = withoutTexts(ran.rows, rare, rareMark)
    const { rowCount, elapsedMs } = ran
    const {
      payload,
      rows: sentRows,
      bytes,
    } = resultForModel(
      { ...rows, stepId: n, rowCount, elapsedMs },
      { level: level(), showsRows: isAllowed, known: { code: step.code, names }, notes },
    )
    await steps.sent(n, { bytes, rows: sentRows })
    return payload
  }
}

/** The tables and the steps whose rows it is made of, by their names in it. */
function readBy({ code, language, reads }: ShownStep, { inScope }: KnownTables): readonly string[] {
  const words = language === 'sql' ? new Set(sqlNames(code).map((name) => name.toLowerCase())) : new Set<string>()
  const named = inScope.map(({ name }) => name).filter((name) => words.has(name.toLowerCase()))
  return [...named, ...reads.map(stepName)]
}

/** What the model wrote in its steps so far it knows. */
const stepWords = ({ steps }: ToolDeps): readonly string[] =>
  steps.steps().flatMap(({ n, original }) => [stepName(n), ...sqlNames(original)])

interface Setting {
  readonly tables: KnownTables
  readonly names: readonly string[]
  readonly signal: AbortSignal
}

interface RanStep {
  readonly n: number
  readonly ran: RanCode
  readonly judgement: Judgement
}

async function runStep(deps: ToolDeps, step: ShownStep, setting: Setting): Promise<RanStep> {
  const { steps } = deps
  const { tables, names, signal } = setting
  const began = performance.now()
  const { judge: _, notes: __, ...begun } = step
  const n = await steps.begin(begun)
  try {
    refuseTelltale(step, deps)
    await steps.bring(step.reads, signal)
    const ran = await runCode(deps, { ...step, n }, { hidden: tables.hidden, signal })
    const judgement = await judgeStep(deps, { ...step, n, ran }, setting)
    const { rowCount, elapsedMs, content } = ran
    await steps.settle(n, { state: 'ok', rowCount, elapsedMs, content, isSummary: judgement.isSafe })
    return { n, ran, judgement }
  } catch (error) {
    const isCancelled = signal.aborted || (error instanceof EngineError && error.problem === 'cancelled')
    const said = error instanceof Error ? error.message : String(error)
    const elapsedMs = performance.now() - began
    await steps.settle(n, { state: isCancelled ? 'cancelled' : 'error', error: isCancelled ? null : said, elapsedMs })
    const context = { level: deps.level(), code: step.code, names, hidden: tables.secret }
    throw new ToolFailure(failureWords(error, { ...context, tables, steps }))
  }
}

/** DuckDB's `error()` says any cell aloud. */
function refuseTelltale({ language, code }: ShownStep, { level }: ToolDeps): void {
  if (language !== 'sql' || !disclosureOf(level()).scrubsErrors) return
  if (sqlNames(code).some((name) => name.toLowerCase() === 'error') && /error"?\s*\(/i.test(code)) {
    throw new ToolFailure('error() is not allowed at this privacy level.')
  }
}

type Judging = ShownStep & Pick<RanStep, 'n' | 'ran'>

async function judgeStep(deps: ToolDeps, step: Judging, { tables, names, signal }: Setting): Promise<Judgement> {
  const { engine, steps, level } = deps
  const isSafe = (n: number) => steps.steps().some((one) => one.n === n && one.isSummary === true)
  const plain = (isSummary: boolean): Judgement => ({ isSummary, isSafe: isSummary, rare: new Set() })
  if (step.judge === 'safe') return plain(true)
  if (step.judge === 'reads') return plain(step.reads.length > 0 && step.reads.every(isSafe))
  if (level() !== 1) return plain(false)
  return judgeQuery(engine, {
    ...{ code: step.code, rows: step.ran.rows, names, hidden: tables.hidden, signal, tables: tables.inScope },
    isSafe: (name) => isSafe(stepNumber(name) ?? 0),
  })
}
