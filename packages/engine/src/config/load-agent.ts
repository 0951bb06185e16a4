// The loading pipeline: YAML, substitution, strict shape, resolved agent. Mistakes in files never throw: the result
// holds an agent or its errors, and all warnings.
import { basename, dirname, resolve } from 'node:path'
import { type AgentDefinition, AgentName, type CatalogModel, modelCatalog } from '@quarterdeck/protocol'
import type { LoadOptions } from './agent-context.ts'
import type { AgentTests } from './agent-tests.ts'
import type { CredentialSource } from './credentials/credentials.ts'
import { createSecret, type Secret } from './credentials/secret.ts'
import { applyConfig } from './merge/apply-config.ts'
import { readExtended } from './merge/read-extended.ts'
import { readTestCases } from './merge/read-test-cases.ts'
import { type ConfigProblem, configError, fileError, isError } from './problems/problem.ts'
import { reporting } from './problems/problem-list.ts'
import { applyOverrides, withOwnModels } from './resolve/catalog-overrides.ts'
import { type PassedValues, resolveAgent } from './resolve/resolve-agent.ts'
import { nameStandIn, toolStandIn } from './resolve/resolve-tools.ts'
import { AgentFile, type ModelSourceSetting } from './schema/agent-file.ts'
import { readConfig } from './schema/config-file.ts'
import { metricStandIn, nameMetricTypes } from './schema/evaluations-block.ts'
import { parseShape, type StandIns } from './schema/parse-shape.ts'
import { refuseUnsupported, unsupportedKeys } from './schema/unsupported.ts'
import { type ConfigSource, readSource } from './yaml/config-source.ts'
import { readEnvironment } from './yaml/environment.ts'

export interface LoadedAgent {
  /** Absolute. */
  readonly file: string
  /** From the file, or derived from its path. */
  readonly name: string
  /** Null when there are errors. */
  readonly agent: AgentDefinition | null
  readonly problems: readonly ConfigProblem[]
  readonly requestedModelSource: ModelSourceSetting
  /** The message to show when `auto` chose the simulator. */
  readonly announcement: string | null
  readonly catalog: readonly CatalogModel[]
  readonly credentials: CredentialSource
  /** Values passed to tools and hooks. */
  readonly passedValues: Secret<PassedValues>
  /** Null when there are errors. */
  readonly tests: AgentTests | null
  /** Every file the agent depends on, including missing ones: a change to any of them may change the agent. */
  readonly dependencies: readonly string[]
}

export async function loadAgent(path: string, options: LoadOptions): Promise<LoadedAgent> {
  const file = resolve(options.cwd, path)
  const folders = [dirname(file), options.cwd]
  const environment = await readEnvironment(options.env, folders)
  const { env } = environment
  const { homeDir, cwd, credentials } = options
  const reading = { env, homeDir, credentials }
  const [own, config] = await Promise.all([readSource(file, reading), readConfig({ agentFile: file, cwd, ...reading })])
  const dependencies = new Set([file, ...environment.files, ...config.files, ...(own?.reads ?? [])])
  const around = [...environment.problems, ...config.problems]
  const nothing = {
    file,
    name: nameFromPath(file),
    agent: null,
    requestedModelSource: 'provider',
    announcement: null,
    catalog: modelCatalog,
    credentials: { env, apiKey: null },
    passedValues: createSecret({ tools: {}, hooks: [], collector: {} }),
    tests: null,
  } as const
  if (own === null)
    return {
      ...nothing,
      problems: [fileError(file, 'config.unreadable', 'there is no such file')],
      dependencies: [...dependencies],
    }
  const extended = await readExtended(own, reading)
  const tested = await readTestCases(extended.source, reading)
  const source = applyConfig(tested.source, config.sources)
  for (const dependency of [...extended.files, ...tested.files, ...source.reads]) dependencies.add(dependency)
  around.push(...extended.problems, ...tested.problems)
  const name = nameIn(source) ?? nothing.name
  const shape = readShape(source, extended.isIncomplete)
  if (shape === null || extended.isIncomplete) {
    return { ...nothing, name, problems: inOrder([...source.problems, ...around]), dependencies: [...dependencies] }
  }
  const catalog = applyOverrides(config.config.models ?? {})
  const { requested, ...resolved } = await resolveAgent({
    file: shape,
    source,
    env,
    config: config.config,
    catalog,
    options,
    dependsOn: (dependency) => dependencies.add(dependency),
  })
  const problems = inOrder([...source.problems, ...around])
  const isBroken = problems.some(isError)
  return {
    ...resolved,
    agent: isBroken ? null : resolved.agent,
    tests: isBroken ? null : resolved.tests,
    file,
    name,
    problems,
    catalog: isBroken ? catalog : withOwnModels(catalog, resolved.agent),
    requestedModelSource: requested,
    dependencies: [...dependencies],
  }
}

/** Returns the agent, or throws all of its errors as one. */
export function requireAgent({ agent, problems }: LoadedAgent, cwd: string): AgentDefinition {
  if (agent === null) throw configError(problems, cwd)
  return agent
}

const standIns: StandIns = {
  name: 'unnamed',
  model: { provider: 'simulator', name: 'high' },
  'model.provider': 'simulator',
  'model.name': 'high',
  instructions: { inline: '-' },
  'instructions.inline': '-',
  'embedding_provider.provider': 'local',
  'tools[]': toolStandIn,
  'tools[].name': nameStandIn,
  'tools[].description': '-',
  'tools[].file': '-',
  'tools[].function': '-',
  'tools[].folder': '-',
  'tools[].source': '-',
  'tools[].parameters': {},
  'evaluations.metrics[]': metricStandIn,
  'test_cases[]': { input: '-' },
  'test_cases[].input': '-',
  'test_cases[].turns[]': { input: '-' },
  'test_cases[].turns[].input': '-',
  'test_cases[].evaluations[]': metricStandIn,
  'test_cases[].turns[].evaluations[]': metricStandIn,
  'hooks[]': { event: 'Stop', action: 'log' },
}

/** If an extended file is unusable, checks only the keys and lists of the file itself. */
function readShape(whole: ConfigSource, isIncomplete: boolean): AgentFile | null {
  const source = isIncomplete ? withoutMissing(whole) : whole
  if (source.problems.some(isFatal)) return null
  if (source.value === undefined || source.value === null) {
    source.refuse([], 'the file is empty: an agent needs name, model and instructions')
    return null
  }
  const value = nameMetricTypes(refuseUnsupported(source))
  return parseShape({ schema: AgentFile, source, value, otherKeys: unsupportedKeys, standIns })
}

const isFatal = ({ code, path }: ConfigProblem): boolean =>
  code === 'config.malformed-yaml' || (code === 'config.unreadable' && path === '')

/** Lists replace those of the extended file, so keys missing inside a list are still reported. */
const withoutMissing = (source: ConfigSource): ConfigSource => ({
  ...source,
  ...reporting((draft) => {
    const isElsewhere =
      draft.code === 'config.missing-key' && draft.path.every((segment) => typeof segment === 'string')
    if (!isElsewhere) source.report(draft)
  }),
})

function nameIn({ value }: ConfigSource): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
  const parsed = AgentName.safeParse(name)
  return parsed.success ? parsed.data : undefined
}

/** `triage.agent.yaml` and `triage/agent.yaml` are both named triage. */
export function nameFromPath(file: string): string {
  const own = basename(file).replace(/(?:\.agent)?\.ya?ml$/, '')
  const baseName = own === 'agent' || own === '' ? basename(dirname(file)) : own
  const name = baseName.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 58)
  return /^[A-Za-z]/.test(name) ? name : `agent-${name}`
}

/** Sorted by position, the agent's own file first. */
const inOrder = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] => {
  const files = [...new Set(problems.map(({ file }) => file))]
  return problems.toSorted(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  )
}
