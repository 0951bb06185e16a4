// The questions of an analysis in its leading tab: asks, follows, resumes and stops them.
import type { AnalysisTool, AttendedAnalysisOptions, Client } from '@quarterdeck/client'
import {
  type AnalysisEvent,
  type AnalyzeBody,
  type AnalyzedTable,
  isQuarterdeckError,
  QuarterdeckError,
  sleep,
} from '@quarterdeck/protocol'
import { failureOf } from '../../../stores/primitives/failure.ts'
import type { Run, RunPrompt, SentEntry } from '../../domain/analysis.ts'
import type { AnalysisQuestion } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { AnalysisRecorder } from '../state/analysis-recorder.ts'
import { openRun } from '../state/fold-analysis.ts'
import { disclosureTerms } from '../state/in-scope.ts'
import { createPromptQueue, type PromptQueue } from './prompt-queue.ts'
import { lastSentTables, otherBodies } from './sent-tables.ts'

export interface RunControllerOptions extends AnalysisRecorder {
  /** A client whose requests are logged. */
  readonly client: Pick<Client, 'analyze' | 'resumeAnalysis' | 'cancelAnalysis'>
  readonly chooseAgent: () => Promise<string>
  /** Resolves when the tables of this browser are restored. */
  readonly ready: () => Promise<void>
  /** The loaded tables in scope. */
  readonly tables: () => readonly ImportedTable[]
  readonly describe: (tables: readonly ImportedTable[], signal: AbortSignal) => Promise<readonly AnalyzedTable[]>
  readonly toolsOf: (runId: string, prompts: PromptQueue) => Readonly<Record<string, AnalysisTool>>
}

/** A turn that ended because the server stopped continues after a wake. */
const cutOff = 'interrupted'
const mostRevivals = 3

interface TrackedRun {
  readonly runId: string
  readonly stop: AbortController
  readonly prompts: PromptQueue
}

export function createRunController(options: RunControllerOptions) {
  const { analysis, record, client } = options
  const left = new AbortController()
  let tracked: TrackedRun | null = null
  let under: Promise<void> = Promise.resolve()

  const runOf = (runId: string): Run | undefined => analysis().runs.find(({ id }) => id === runId)

  function track(runId: string): TrackedRun {
    const prompts = createPromptQueue((ask) => record({ type: 'run.prompt', runId, ask }))
    const one: TrackedRun = { runId, stop: new AbortController(), prompts }
    tracked = one
    return one
  }

  const attended = ({ runId, stop, prompts }: TrackedRun): AttendedAnalysisOptions => ({
    tools: options.toolsOf(runId, prompts),
    signal: stop.signal,
    leave: left.signal,
    onEvent: (event: AnalysisEvent) => record({ type: 'run.event', runId, event }),
  })

  /** Never rejects: the outcome is in the analysis. */
  async function follow(one: TrackedRun, begin: () => Promise<unknown>): Promise<void> {
    const { runId } = one
    let revivals = 0
    for (let next: (() => Promise<unknown>) | null = begin; next !== null; ) {
      const error = await next().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      next = null
      if (error === null || left.signal.aborted || one.stop.signal.aborted || isSignedOut(error)) break
      const isCutOff = runOf(runId)?.failure?.code === cutOff
      if (isCutOff && revivals < mostRevivals) {
        revivals += 1
        next = () => resume(one)
      } else record({ type: 'run.failed', runId, failure: failureFrom(error) })
    }
    if (tracked === one) tracked = null
    await options.save()
  }

  function resume(one: TrackedRun): Promise<unknown> {
    const { sessionId } = analysis()
    if (sessionId === null) throw new Error('a run without a session cannot be resumed')
    record({ type: 'run.resumed', runId: one.runId })
    return client.resumeAnalysis(sessionId, attended(one))
  }

  /** Resolves when the server accepted it; the run continues in the background. */
  function start(one: TrackedRun, body: AnalyzeBody): Promise<void> {
    const { question = '', tables = [], tier, thinking, level } = body
    const { agent, sessionId, sent } = analysis()
    const others = otherBodies(sent.filter(isOf(runOf(one.runId))), { ...body, ...(sessionId && { sessionId }) })
    return new Promise((resolve, reject) => {
      let isTaken = false
      const begin = () =>
        client.analyze(question, tables, {
          ...attended(one),
          key: `${one.runId}.${sessionId ?? 'new'}${others === 0 ? '' : `.${others}`}`,
          ...(tier === undefined ? {} : { tier }),
          ...(thinking === undefined ? {} : { thinking }),
          ...(level === undefined ? {} : { level }),
          ...(sessionId === null ? {} : { sessionId }),
          ...(agent === null || sessionId !== null ? {} : { agent }),
          onStart(started) {
            isTaken = true
            record({ type: 'question.taken', runId: one.runId, sessionId: started.sessionId })
            resolve()
          },
        })
      const tried = async () => {
        try {
          return await begin()
        } catch (error) {
          if (isTaken) throw error
          reject(error)
          return null
        }
      }
      under = follow(one, tried)
    })
  }

  /**
   * Retries through temporary problems: an unavailable server, or an earlier question that is still stopping. Each
   * attempt sends only what may be sent at that time.
   */
  async function startPatiently(one: TrackedRun, asked: AnalysisQuestion): Promise<void> {
    const { sessionId } = analysis()
    for (let tries = 0; ; tries += 1) {
      try {
        return await start(one, await bodyOf(asked, one))
      } catch (error) {
        const isBusy = isQuarterdeckError(error, 'session.busy') && sessionId !== null && tries < 40
        const isDown = isQuarterdeckError(error, 'server.unreachable') && tries < 3
        if (one.stop.signal.aborted || (!isBusy && !isDown)) throw error
        tracked = one
        // A cancellation of the previous question may not have reached the server.
        if (isBusy && sessionId !== null) await client.cancelAnalysis(sessionId).catch(() => undefined)
        await sleep(250, one.stop.signal)
      }
    }
  }

  /** A lost session takes its memory with it: the question starts a new one. */
  async function startSomewhere(one: TrackedRun, asked: AnalysisQuestion): Promise<void> {
    try {
      await startPatiently(one, asked)
    } catch (error) {
      const isGone = isQuarterdeckError(error, 'session.not-found') || isQuarterdeckError(error, 'session.closed')
      if (!isGone || analysis().sessionId === null) throw error
      record({ type: 'session.lost' })
      tracked = one
      await startPatiently(one, asked)
    }
  }

  const terms = () => disclosureTerms(analysis(), options.tables())

  async function bodyOf(asked: AnalysisQuestion, one: TrackedRun): Promise<AnalyzeBody> {
    await options.ready()
    const before = terms()
    const { level, sent, sessionId } = analysis()
    const tables = await options.describe(options.tables(), one.stop.signal)
    if (terms() !== before) return bodyOf(asked, one)
    const { question, tier, thinking } = asked
    // An earlier attempt of this question may not have arrived.
    const isOwn = isOf(runOf(one.runId))
    const lastSent = sessionId === null ? null : lastSentTables(sent.filter((entry) => !isOwn(entry)))
    const isSent = lastSent !== null && lastSent.level === level && lastSent.tables === JSON.stringify(tables)
    return { question, tier, thinking, ...(isSent ? {} : { tables: [...tables], level }) }
  }

  /**
   * The page closed before it was known whether the server accepted the question. The same body with the same id is the
   * same question; if less may be sent now, it is another.
   */
  async function startAgain(one: TrackedRun, { question, tier, thinking }: Run): Promise<void> {
    try {
      await startPatiently(one, { question, tier, thinking })
    } catch (error) {
      if (left.signal.aborted || isSignedOut(error)) return
      record({ type: 'run.failed', runId: one.runId, failure: failureFrom(error) })
    }
  }

  return {
    /** Resolves when the server accepted it or it was stopped before. Rejects with `QuarterdeckError`. */
    async ask(question: AnalysisQuestion, runId: string) {
      if (runOf(runId) !== undefined) return
      if (openRun(analysis()) !== undefined) throw busy()
      await options.ready()
      const tables = options.tables()
      if (tables.length === 0) throw new QuarterdeckError('request.invalid', noTable)
      const agent = analysis().agent ?? (await options.chooseAgent())
      if (openRun(analysis()) !== undefined) throw busy()
      const refs = tables.map(({ name, rowCount, source: { fingerprint } }) => ({ name, fingerprint, rowCount }))
      record({ type: 'question.asked', runId, agent, ...question, tables: refs })
      const one = track(runId)
      try {
        await startSomewhere(one, question)
      } catch (error) {
        if (one.stop.signal.aborted || left.signal.aborted) return
        tracked = null
        record({ type: 'question.refused', runId })
        throw failureOf(error)
      }
    },
    /** Resumes a run that another tab, or this one earlier, left unfinished. */
    takeUp() {
      const run = openRun(analysis())
      if (run === undefined || tracked !== null) return
      const one = track(run.id)
      record({ type: 'run.prompt', runId: run.id, ask: null })
      if (run.takenAt === undefined) under = startAgain(one, run)
      else under = follow(one, () => resume(one))
    },
    cancel() {
      const run = openRun(analysis())
      if (run === undefined) return
      record({ type: 'run.cancelled', runId: run.id })
      if (tracked?.runId === run.id) tracked.stop.abort(new DOMException('the user stopped it', 'AbortError'))
      tracked = null
    },
    /** Throws if no question is running. */
    answer(to: RunPrompt, text: string) {
      if (tracked === null) throw new QuarterdeckError('request.invalid', 'this prompt is no longer open')
      tracked.prompts.answer(to, text)
    },
    /** Stops listening; the run continues on the server. Resolves when nothing runs here. */
    async leave() {
      left.abort(new DOMException('the page was closed', 'AbortError'))
      await under
    },
  }
}

/** Sent for this run, or after it started. */
const isOf =
  (run: Run | undefined) =>
  ({ at }: SentEntry): boolean =>
    run !== undefined && at >= run.startedAt

/** The question itself is fine: it resumes after the user signs in. */
const isSignedOut = (error: unknown): boolean =>
  isQuarterdeckError(error, 'auth.required') || isQuarterdeckError(error, 'auth.invalid')

const busy = () => new QuarterdeckError('session.busy', 'a question is still running: stop it, or wait for its answer')

const noTable = 'no table is selected: add a file, or choose a table'

function failureFrom(error: unknown): NonNullable<Run['failure']> {
  const { code, message } = failureOf(error)
  return { message, code, isRetryable: code === 'server.unreachable' || code === 'server.draining' }
}
