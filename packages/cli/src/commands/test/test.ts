// `quarterdeck test FILE…`: the cases of an agent file, each in a session of its own.
import { constants } from 'node:fs'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { exitCodeOfReport, reportJson, runTests, type TestReport } from '@quarterdeck/engine'
import { isQuarterdeckError, QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { type BackendChoice, openAgent } from '../../connect/open-agent.ts'
import { paletteFor } from '../../render/palette.ts'
import { startProgress } from '../../terminal/progress.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'
import { planTests, type TestFlags, type TestPlan } from './plan-tests.ts'
import { caseLines, createReasonsReportedOnce, summaryLine } from './test-lines.ts'

const interrupted = 130

/** 0 all passed, 1 one failed, 2 bad configuration, 3 an agent could not run, 4 a metric broke, 130 after Ctrl-C. */
export async function test(
  terminal: Terminal,
  input: { files: readonly string[]; flags: TestFlags },
  backend: BackendChoice = {},
): Promise<number> {
  const { flags } = input
  await requireWritable(terminal, flags.output)
  const files = input.files.length === 0 ? ['agent.yaml'] : input.files
  const plans = await planTests(terminal, files, flags).catch((error: unknown) => {
    printRefusal(terminal, flags, error)
    throw error
  })
  const { signal, forget } = untilSignal(terminal, ['SIGINT', 'SIGTERM'])
  const reports: TestReport[] = []
  try {
    for (const plan of plans) {
      if (signal.aborted) break
      reports.push(await testOne({ terminal, flags, backend, signal, hasOthers: plans.length > 1 }, plan))
    }
  } catch (error) {
    // What was given up has nothing to tell.
    if (!signal.aborted) throw error
  } finally {
    forget()
    // Also when something broke: what was tested by then is told.
    if (reports.length > 0) await tell(terminal, flags, { reports, isOne: plans.length === 1 })
  }
  return signal.aborted ? interrupted : gravest(reports.map(exitCodeOfReport))
}

interface Testing {
  readonly terminal: Terminal
  readonly flags: TestFlags
  readonly backend: BackendChoice
  readonly signal: AbortSignal
  /** Whether cases of other agents are told above or below. */
  readonly hasOthers: boolean
}

async function testOne({ terminal, flags, backend, signal, hasOthers }: Testing, plan: TestPlan): Promise<TestReport> {
  const lines = createLines(terminal, flags, plan)
  const folder = flags.data === undefined ? await mkdtemp(join(tmpdir(), 'quarterdeck-test-')) : null
  const progress = startProgress(terminal, 'Starting the agent')
  try {
    const shared = { ...flags, ...(folder === null ? {} : { data: folder }), modelSource: plan.modelSource }
    const limit = flags.timeout === undefined ? {} : { turnTimeoutMs: flags.timeout * 1000 }
    const quietness = { isQuiet: lines.isQuiet }
    const openOptions = { path: plan.file, flags: { ...shared, verbose: false }, canAsk: false, ...limit, ...quietness }
    if (hasOthers) lines.sum(`${plan.agentName} (${relative(terminal.cwd, plan.file)})`)
    const { runtime } = await openAgent(terminal, openOptions, backend)
    try {
      const agent = await runtime.engine.agents.load(plan.agentName)
      const { sessions, retrieval } = runtime.engine
      if (flags.forceIngest === true) await retrieval.ingest(agent, { force: true, signal })
      const of = plan.tests.cases.length
      let ended = 0
      const reportedOnce = createReasonsReportedOnce()
      progress.say(`Tests ${plan.agentName}`)
      const report = await runTests({
        sessions,
        agent,
        tests: plan.tests,
        by: userInfo().username,
        signal,
        clock: { now: () => new Date() },
        onResult(result) {
          ended += 1
          progress.hide()
          lines.show(caseLines(reportedOnce(result), lines.style))
          progress.say(`Tests ${plan.agentName}, ${ended} of ${of} done`)
        },
      })
      progress.hide()
      lines.sum(
        of === 0
          ? nothingToTest(plan, flags)
          : summaryLine(report, { palette: lines.style.palette, modelSource: plan.modelSource }),
      )
      return report
    } finally {
      await runtime.close()
    }
  } finally {
    progress.stop()
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }
}

/** With several files a filter may leave one without a case. */
const nothingToTest = ({ file }: TestPlan, { filter }: TestFlags): string =>
  filter === undefined
    ? `${file} has no test cases: nothing was tested`
    : `no case of ${file} has "${filter}" in its name`

/** What a pipe reads is one thing: the report, or these lines. */
function createLines(terminal: Terminal, flags: TestFlags, { tests }: TestPlan) {
  const isReport = flags.format === 'json'
  const write = (line: string) => (isReport ? remark(terminal, line) : print(terminal, line))
  const isQuiet = flags.quiet ?? tests.execution.isQuiet
  const isVerbose = flags.verbose ?? tests.execution.isVerbose
  return {
    style: {
      palette: paletteFor(isReport ? terminal.stderr : terminal.stdout, terminal.env),
      isVerbose,
      showsSession: flags.data !== undefined,
    },
    show(lines: readonly string[]) {
      if (!isQuiet) for (const line of lines) write(line)
    },
    sum: (line: string) => write(visibleText(line)),
    isQuiet,
  }
}

/** One file gives its report, several a list of them. */
async function tell(
  terminal: Terminal,
  { format, output }: TestFlags,
  { reports, isOne }: { readonly reports: readonly TestReport[]; readonly isOne: boolean },
): Promise<void> {
  if (output === undefined && format !== 'json') return
  const [only] = reports.map(reportJson)
  const text = jsonText(isOne ? (only ?? null) : { reports: reports.map(reportJson) })
  if (format === 'json') print(terminal, text)
  if (output === undefined) return
  const path = resolve(terminal.cwd, output)
  await writeFile(path, `${text}\n`, { mode: 0o600 }).catch((cause: unknown) => {
    throw new QuarterdeckError('request.invalid', `--output ${path} cannot be written`, { cause })
  })
}

/** A program that reads the report hears in the same place why there is none. */
function printRefusal(terminal: Terminal, { format }: TestFlags, error: unknown): void {
  if (format !== 'json' || !isQuarterdeckError(error)) return
  const { code, message, facts } = error
  print(terminal, jsonText({ error: { code, message, problems: facts.problems ?? [] } }))
}

/** Known before the tests run, not after. */
async function requireWritable(terminal: Terminal, output: string | undefined): Promise<void> {
  if (output === undefined) return
  const folder = dirname(resolve(terminal.cwd, output))
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new QuarterdeckError('request.invalid', `--output: the folder ${folder} cannot be written to`, { cause })
  })
}

/** What could not run at all says more than what failed. */
const gravest = (codes: readonly number[]): number => [3, 4, 1].find((code) => codes.includes(code)) ?? 0
