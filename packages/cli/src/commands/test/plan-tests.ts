// The plan of `quarterdeck test`. Files, credentials, cases, metrics and attachments are checked before anything runs.
import {
  type AgentTests,
  createAgentRegistry,
  findAgentFiles,
  refuseUnsupportedTests,
  refuseUnusableFiles,
} from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { misuse } from '../../terminal/misuse.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export interface TestFlags extends SharedFlags {
  readonly format?: 'text' | 'json'
  readonly output?: string
  readonly limit?: number
  /** Text in the names of the cases to run. */
  readonly filter?: string
  readonly parallel?: number
  /** Time limit in seconds for one message. */
  readonly timeout?: number
  readonly quiet?: boolean
  /** Reads all documents of search tools again first. */
  readonly forceIngest?: boolean
}

export interface TestPlan {
  /** Absolute. */
  readonly file: string
  readonly agentName: string
  /** Never chosen by which credentials are missing. */
  readonly modelSource: 'provider' | 'simulator'
  readonly tests: AgentTests
}

/** A folder means every agent file below it. Throws with every problem of the first file that cannot be tested. */
export async function planTests(terminal: Terminal, paths: readonly string[], flags: TestFlags): Promise<TestPlan[]> {
  const files = new Set<string>()
  for (const path of paths) for (const file of await filesAt(terminal, path)) files.add(file)
  const plans: TestPlan[] = []
  for (const file of files) plans.push(await planFile(terminal, file, flags))
  await refuseIdleFilter(terminal, plans, flags)
  for (const { tests } of plans) {
    refuseUnsupportedTests(tests)
    await refuseUnusableFiles(tests)
  }
  return plans
}

/** A filter without a match is an error: a run without tests would look as if it passed. */
async function refuseIdleFilter(terminal: Terminal, plans: readonly TestPlan[], flags: TestFlags): Promise<void> {
  const { filter, ...others } = flags
  if (filter === undefined || plans.some(({ tests }) => tests.cases.length > 0)) return
  const all = await Promise.all(plans.map(({ file }) => planFile(terminal, file, others)))
  const names = all.flatMap(({ tests }) => tests.cases.map(({ name }) => name))
  const there = names.length === 0 ? 'it has no cases' : `available: ${names.join(', ')}`
  throw misuse(`no case has "${filter}" in its name; ${there}`)
}

async function filesAt({ cwd }: Terminal, path: string): Promise<readonly string[]> {
  const { files, missing } = await findAgentFiles([path], cwd)
  if (files.length > 0) return files
  const reason =
    missing.length > 0
      ? 'the file does not exist. Give the path of an agent.yaml.'
      : 'no agent.yaml or *.agent.yaml in this folder'
  throw new QuarterdeckError('agent.not-found', `${path}: ${reason}`)
}

async function planFile(terminal: Terminal, file: string, flags: TestFlags): Promise<TestPlan> {
  const { env, homeDir, cwd } = terminal
  const open = (modelSource: SharedFlags['modelSource']) =>
    createAgentRegistry({ paths: [file], env, homeDir, cwd, modelSource })
  const [requested] = await open(flags.modelSource).loaded()
  // A test must not silently use another model source: `auto` means the provider, with or without a key.
  const modelSource = requested?.requestedModelSource === 'simulator' ? 'simulator' : 'provider'
  const registry = open(modelSource)
  const [loaded] = await registry.loaded()
  if (loaded === undefined) throw new QuarterdeckError('agent.not-found', `${file} contains no agent`)
  await registry.load(loaded.name)
  const { name: agentName, tests } = loaded
  if (tests === null) throw new QuarterdeckError('config.invalid', `${file} has just changed: try again`)
  return { file, agentName, modelSource, tests: selected(tests, flags) }
}

function selected(tests: AgentTests, { filter, limit, parallel }: TestFlags): AgentTests {
  const fitting = filter === undefined ? tests.cases : tests.cases.filter(({ name }) => name.includes(filter))
  return {
    ...tests,
    cases: limit === undefined ? fitting : fitting.slice(0, limit),
    execution: { ...tests.execution, ...(parallel === undefined ? {} : { parallel }) },
  }
}
