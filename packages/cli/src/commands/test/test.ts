// `quarterdeck test FILE…`: runs the cases of an agent file, each in its own session.
import { constants } from 'node:fs'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { exitCodeOfReport, reportJson, runTests, type TestReport } from '@quarterdeck/engine'
import { isQuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { Option } from 'commander'
import { type BackendChoice, openAgent } from '../../connect/open-agent.ts'
import { type AddCommand, unsandboxedText, wholeNumber } from '../../flags/command-options.ts'
import { paletteFor } from '../../render/palette.ts'
import { misuse } from '../../terminal/misuse.ts'
import { startProgress } from '../../terminal/progress.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'
import { planTests, type TestFlags, type TestPlan } from './plan-tests.ts'
import { caseLines, createReasonsReportedOnce, summaryLine } from './test-lines.ts'

export const addTestCommand: AddCommand = (program, terminal, finish) => {
  program
    .command('test')
    .description(
      'run the test cases of agent files (exit 0 all passed, 1 one failed, 2 configuration, 3 backend, 4 metric)',
    )
    .argument('[files...]', 'agent files or folders (default: agent.yaml in this folder)')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--output <file>', 'write the report as JSON to this file')
    .option('--limit <n>', 'run only the first n cases', wholeNumber(1))
    .option('--filter <text>', 'run only cases with this text in their name')
    .option('--parallel <n>', 'number of cases to run at the same time', wholeNumber(1))
    .option('--timeout <seconds>', 'time limit for one message', wholeNumber(1))
    .addOption(
      new Option('--model-source <source>', 'source of model answers; never chosen automatically').choices([
        'provider',
        'simulator',
      ]),
    )
    .option('--script <file>', 'scenario for the simulator to play')
    .option('--force-ingest', 'read all documents of search tools again, even unchanged ones')
    .option('--allow-unsandboxed', unsandboxedText)
    .option('--data <folder>', 'keep the log in this folder (default: deleted after the run)')
    .option('--quiet', 'print only the summary')
    .option('--verbose', 'also print messages, answers and tool calls')
    .action(async (files: string[], flags) => finish(await test(terminal, { files, flags })))
}

const interrupted = 130

/**
 * Exits with 0 all passed, 1 a case failed, 2 configuration, 3 an agent could not run, 4 a metric failed, 130 after
 * Ctrl-C.
 */
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
    // An aborted run reports no error.
    if (!signal.aborted) throw error
  } finally {
    forget()
    // Reported even after a failure.
    if (reports.length > 0) await writeReports(terminal, flags, { reports, isOne: plans.length === 1 })
  }
  return signal.aborted ? interrupted : worstCode(reports.map(exitCodeOfReport))
}

interface Testing {
  readonly terminal: Terminal
  readonly flags: TestFlags
  readonly backend: BackendChoice
  readonly signal: AbortSignal
  /** Whether other agents are tested in the same run. */
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
      progress.say(`Testing ${plan.agentName}`)
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
          progress.say(`Testing ${plan.agentName}, ${ended} of ${of} done`)
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

/** With several files, a filter may match no case of one. */
const nothingToTest = ({ file }: TestPlan, { filter }: TestFlags): string =>
  filter === undefined
    ? `${file} has no test cases: nothing was tested`
    : `no case of ${file} has "${filter}" in its name`

/** A pipe gets either the report or these lines. */
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

/** One file gives one report, several give a list. */
async function writeReports(
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
    throw misuse(`--output ${path} cannot be written`, { cause })
  })
}

/** A program that reads the report from stdout gets the error there too. */
function printRefusal(terminal: Terminal, { format }: TestFlags, error: unknown): void {
  if (format !== 'json' || !isQuarterdeckError(error)) return
  const { code, message, facts } = error
  print(terminal, jsonText({ error: { code, message, problems: facts.problems ?? [] } }))
}

/** Checked before the tests run. */
async function requireWritable(terminal: Terminal, output: string | undefined): Promise<void> {
  if (output === undefined) return
  const folder = dirname(resolve(terminal.cwd, output))
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw misuse(`--output: the folder ${folder} is not writable`, { cause })
  })
}

/** "Could not run" outranks "failed". */
const worstCode = (codes: readonly number[]): number => [3, 4, 1].find((code) => codes.includes(code)) ?? 0
