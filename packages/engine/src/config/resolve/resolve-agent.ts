// Turns a file of the right shape into an agent definition. All problems beyond the shape are reported here at once.
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type AgentDefinition, isRecord, type JsonObject } from '@quarterdeck/protocol'
import { refuseWritable } from '../../isolation/refuse-folder.ts'
import type { ToolSecrets } from '../../ports/agent-registry.ts'
import { isBelow } from '../../system/path-inside.ts'
import type { AgentContext } from '../agent-context.ts'
import { checkBlocks } from '../check/check-blocks.ts'
import { checkMatchers } from '../check/check-matchers.ts'
import { isFolder } from '../check/check-named-files.ts'
import { checkExpectedTools, checkTests } from '../check/check-tests.ts'
import { chooseBackend, providerSettings } from '../check/choose-backend.ts'
import { createSecret } from '../credentials/secret.ts'
import type { AgentFile } from '../schema/agent-file.ts'
import { resolvePath } from '../yaml/project-path.ts'
import { checkSchema } from './input-schema.ts'
import { resolveClaude } from './resolve-claude.ts'
import { resolveEmbedding } from './resolve-embedding.ts'
import { resolveHooks } from './resolve-hooks.ts'
import { readPrompt, resolveInstructions } from './resolve-instructions.ts'
import { resolveApprovals, resolveLimits } from './resolve-limits.ts'
import { resolveModel } from './resolve-model.ts'
import { resolveObservability } from './resolve-observability.ts'
import { resolveTests } from './resolve-tests.ts'
import { resolveToolFiltering, resolveTools } from './resolve-tools.ts'
import { toMs } from './resolved-tool.ts'

export interface PassedValues {
  readonly tools: Readonly<Record<string, ToolSecrets>>
  readonly hooks: readonly Readonly<Record<string, string>>[]
  /** Headers of the trace collector. */
  readonly collector: Readonly<Record<string, string>>
}

export async function resolveAgent(context: AgentContext) {
  const { file, source } = context
  const backend = chooseBackend(context)
  checkBlocks(context, backend)
  const toolFiltering = resolveToolFiltering(context, backend)
  const { embedding, needs } = resolveEmbedding(context, toolFiltering)
  const { requested, announcement, credentials, ...answering } = resolveModel(context, backend, needs)
  const instructions = await resolveInstructions(context)
  const claude = await resolveClaude(context, { modelId: answering.model.id, backend })
  const tools = await resolveTools(context)
  const hooks = await resolveHooks(context, backend)
  const observability = resolveObservability(context)
  checkMatchers(context, { backend, claude, tools: tools.tools })
  const settings = providerSettings(file)
  const definition: AgentDefinition = {
    name: file.name,
    description: file.description ?? null,
    file: source.file,
    backend,
    ...answering,
    instructions,
    claude,
    tools: [...tools.tools],
    embedding,
    toolFiltering,
    responseFormat: await resolveResponseFormat(context),
    hooks: [...hooks.hooks],
    observability: observability.settings,
    limits: resolveLimits(context),
    turnTimeoutMs: context.options.turnTimeoutMs ?? turnTimeout(file),
    maxConcurrentSessions: settings.max_concurrent_sessions ?? null,
    unitsPerDay: file.limits?.units_per_day ?? null,
    approvals: resolveApprovals(context, backend),
    workspace: { mode: file.workspace?.mode ?? 'shared', writable: await resolveWritable(context) },
    onCrash: file.on_crash ?? 'wait',
    starters: file.starters ?? [],
  }
  const tests = await resolveTests(context)
  await checkTests(context, tests)
  checkExpectedTools(context, tests, { backend, claude, tools: tools.tools })
  return {
    agent: definition,
    tests,
    requested,
    announcement,
    credentials: {
      ...credentials,
      declared: createSecret([...tools.declared, ...hooks.declared, ...observability.declared]),
    },
    /** Values passed to tools, hooks and the trace collector. */
    passedValues: createSecret({ tools: tools.secrets, hooks: hooks.secrets, collector: observability.headers }),
  }
}

const turnTimeout = ({ execution }: AgentFile): number | null =>
  execution?.llm_timeout == null ? null : toMs(execution.llm_timeout)

/** The folders of `workspace.writable`, absolute. Unlike other paths they may be outside of the project. */
async function resolveWritable({ file, source, options }: AgentContext): Promise<string[]> {
  const folders: string[] = []
  for (const [index, written] of (file.workspace?.writable ?? []).entries()) {
    const path = ['workspace', 'writable', index]
    const home = source.originFileOf(path)
    const target = await resolvePath(written, home.file)
    const why = (await isFolder(target))
      ? whyRefused(target, source.file, options.homeDir)
      : 'it is not a folder: create it first'
    if (why === null) folders.push(target)
    else {
      source.refuseValue(path, `"workspace.writable[${index}]" cannot be ${target}: ${why}`)
    }
  }
  return folders
}

function whyRefused(folder: string, agentFile: string, homeDir: string): string | null {
  const dataDir = join(homeDir, '.quarterdeck')
  const why = refuseWritable(folder, { dataDir, locked: [dirname(agentFile)] })
  if (why !== null) return why
  const isHidden = [homedir(), homeDir].some(
    (home) => isBelow({ path: folder, folder: home }) && relative(home, folder).startsWith('.'),
  )
  return isHidden ? 'it is in a hidden folder of the home folder' : null
}

const path = ['response_format']

/** The JSON Schema of every final answer, inline or from a file. */
async function resolveResponseFormat(context: AgentContext): Promise<JsonObject | null> {
  const written = context.file.response_format
  if (written == null) return null
  const schema = typeof written === 'string' ? await readSchema(context, written) : written
  if (schema === null) return null
  if (Object.keys(schema).length === 0) refuse(context, 'is empty: describe the answer or remove the key')
  checkSchema(context, schema, path)
  if (schema.type !== undefined && schema.type !== 'object') {
    refuse(context, 'must describe an object: providers accept nothing else. Wrap the value in a property')
  }
  return schema as JsonObject // from YAML or JSON, so it contains only JSON values
}

async function readSchema(context: AgentContext, written: string): Promise<Record<string, unknown> | null> {
  const text = await readPrompt(context, written, path)
  if (text === '') return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse(context, `: the file is not JSON (line ${lineOf(error, text)})`)
  }
  return isRecord(value) ? value : refuse(context, ': the file must contain a JSON Schema object')
}

/** The parser reports an offset, or nothing if the text ends early. */
function lineOf(error: unknown, text: string): number {
  const offset = /position (?<at>\d+)/.exec(error instanceof Error ? error.message : '')?.groups?.at
  const read = offset === undefined ? text.trimEnd() : text.slice(0, Number(offset))
  return read.split('\n').length
}

function refuse({ source }: AgentContext, why: string): null {
  source.refuseValue(path, `"response_format"${why.startsWith(':') ? '' : ' '}${why}`)
  return null
}
