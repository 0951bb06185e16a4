// Resolves `tools:`: absolute paths, parsed schemas, and secret values separate from the definition.
import { join } from 'node:path'
import {
  type AgentTool,
  type BackendName,
  type FunctionTool,
  findModel,
  isRetrievalTool,
  type PromptTool,
  resolveModelId,
  type SkillTool,
  type ToolFiltering,
} from '@quarterdeck/protocol'
import type { ToolSecrets } from '../../ports/agent-registry.ts'
import { clientToolName } from '../../tool-names/client-tool-names.ts'
import {
  hostToolName,
  longestServerName,
  mcpToolName,
  reservedServerNames,
  searchToolName,
} from '../../tool-names/host-tool-names.ts'
import type { AgentContext } from '../agent-context.ts'
import { knownNames, reportUnknownModel } from '../check/check-model-name.ts'
import { claudeProviders } from '../check/choose-backend.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { ToolBlock, ToolBlockOf } from '../schema/tools-block.ts'
import { frontmatterOf } from '../yaml/frontmatter.ts'
import { inputSchemaOf } from './input-schema.ts'
import { readPrompt, resolveProjectPath } from './resolve-instructions.ts'
import { resolveMcp } from './resolve-mcp.ts'
import { resolveHierarchical, resolveVectorstore } from './resolve-search-tools.ts'
import { resolveVariables, secretValues } from './resolve-variables.ts'
import { commonToolFields, type ResolvedTool, resolveModule, toMs } from './resolved-tool.ts'

const noSecrets: ToolSecrets = { env: {}, headers: {} }

/** Stands in for a tool whose shape is wrong. */
export const toolStandIn = (path: Path): ToolBlock => ({
  type: 'client',
  name: standInName(path.at(-1)),
  description: '-',
})
/** Stands in for the name of a tool that is otherwise right. */
export const nameStandIn = (path: Path): string => standInName(path.at(-2))
const standInName = (index: string | number | undefined): string => `${standInPrefix}${index}`
const standInPrefix = 'unreadable_tool_'

export async function resolveTools(context: AgentContext) {
  const resolved: ResolvedTool[] = []
  const taken = new Map<string, number>()
  for (const [index, block] of (context.file.tools ?? []).entries()) {
    const isNameless = block.name.startsWith(standInPrefix)
    if (!isNameless) checkName(context, block, { index, taken })
    const tool = await resolveTool(context, block, ['tools', index])
    if (!isNameless) resolved.push(tool)
  }
  return {
    tools: resolved.map(({ tool }) => tool),
    secrets: Object.fromEntries(resolved.map(({ tool, secrets }) => [tool.name, secrets])),
    declared: resolved.flatMap(({ declared }) => declared),
  }
}

function checkName(
  { source }: AgentContext,
  block: ToolBlock,
  { index, taken }: { readonly index: number; readonly taken: Map<string, number> },
): void {
  const path = ['tools', index, 'name']
  const refuse = (message: string): void => source.refuseValue(path, message)
  const callName = callNameOf(block)
  const other = taken.get(block.name)
  const alike = taken.get(callName)
  if (other !== undefined) refuse(`the name "${block.name}" is already used by tools[${other}]`)
  else if (alike !== undefined) refuse(`its call name ${callName} is already used by tools[${alike}]`)
  else if (block.type === 'mcp' && reservedServerNames.includes(block.name)) {
    refuse(`"${block.name}" is a reserved name: rename the server`)
  } else if (block.type === 'mcp' && /__|_$/.test(block.name)) {
    const other = block.name.split('__')[0]?.replace(/_+$/, '') ?? ''
    refuse(
      `a server cannot be named "${block.name}": its tools would mix with "mcp__${other}__*". Avoid "__" and a trailing "_"`,
    )
  } else if (block.type === 'mcp' && block.name.length > longestServerName) {
    refuse(`a server name has at most ${longestServerName} characters, because it is part of the names of its tools`)
  }
  taken.set(block.name, index).set(callName, index)
  if (block.defer_loading == null) return
  source.warnNoEffect(['tools', index, 'defer_loading'], 'all tools are loaded at the start')
}

function callNameOf({ type, name }: ToolBlock): string {
  if (type === 'mcp') return mcpToolName(name, '')
  if (type === 'client') return clientToolName(name)
  return isRetrievalTool({ type }) ? searchToolName(name) : hostToolName(name)
}

async function resolveTool(context: AgentContext, block: ToolBlock, path: Path): Promise<ResolvedTool> {
  switch (block.type) {
    case 'function':
      return resolveFunction(context, block, path)
    case 'mcp':
      return resolveMcp(context, block, path)
    case 'prompt':
      return plain(await resolvePromptTool(context, block, path))
    case 'client': {
      const parameters = inputSchemaOf(context, block.parameters ?? {}, [...path, 'parameters'])
      return plain({ type: 'client', ...commonToolFields(block), parameters })
    }
    case 'skill':
      return plain(await resolveSkill(context, block, path))
    case 'vectorstore':
      return plain(await resolveVectorstore(context, block, path))
    case 'hierarchical_document':
      return plain(await resolveHierarchical(context, block, path))
  }
}

const plain = (tool: AgentTool): ResolvedTool => ({ tool, secrets: noSecrets, declared: [] })

async function resolveFunction(
  context: AgentContext,
  block: ToolBlockOf<'function'>,
  path: Path,
): Promise<ResolvedTool> {
  const { parameters } = block
  const env = resolveVariables(context, block.env, [...path, 'env'])
  const tool: FunctionTool = {
    type: 'function',
    ...commonToolFields(block),
    file: await resolveModule(context, block.file, [...path, 'file']),
    functionName: block.function,
    parameters: parameters == null ? null : inputSchemaOf(context, parameters, [...path, 'parameters']),
    env: Object.keys(env),
    timeoutMs: toMs(block.timeout ?? 60),
  }
  return { tool, secrets: { env, headers: {} }, declared: secretValues(context, env, [...path, 'env']) }
}

async function resolvePromptTool(context: AgentContext, block: ToolBlockOf<'prompt'>, path: Path): Promise<PromptTool> {
  const { source, catalog, file: agent } = context
  if ((block.template == null) === (block.file == null)) {
    source.refuse(path, `"${formatPath(path)}" must have either "template" or "file"`)
  }
  const template =
    block.file == null ? (block.template ?? '') : await readPrompt(context, block.file, [...path, 'file'])
  const parameters = inputSchemaOf(context, block.parameters, [...path, 'parameters'])
  checkPlaceholders(context, { template, parameters, path })
  const { model } = block
  if (model?.provider != null && model.provider !== agent.model.provider) {
    const message = `not supported yet: a prompt tool of another provider than the agent's (${agent.model.provider})`
    source.report({ severity: 'error', code: 'config.unsupported', path: [...path, 'model', 'provider'], message })
  }
  const isClaude = claudeProviders.includes(agent.model.provider)
  if (isClaude && model?.name != null && findModel(model.name, catalog) === undefined) {
    const named = { name: model.name, path: [...path, 'model', 'name'] }
    reportUnknownModel(context, { ...named, known: knownNames(catalog) })
  }
  const id = model?.name == null ? null : isClaude ? resolveModelId(model.name, catalog) : model.name
  return {
    type: 'prompt',
    ...commonToolFields(block),
    template,
    parameters,
    model: id,
    maxTokens: model?.max_tokens ?? null,
    temperature: model?.temperature ?? null,
  }
}

/** A placeholder without a parameter is most likely a typo. */
function checkPlaceholders(
  { source }: AgentContext,
  { template, parameters, path }: { template: string; parameters: PromptTool['parameters']; path: Path },
): void {
  const known = Object.keys(parameters.properties ?? {})
  const used = [...template.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? '')
  if (known.length === 0) {
    source.refuse([...path, 'parameters'], `"${formatPath([...path, 'parameters'])}" must name at least one parameter`)
  }
  const unknownName = used.find((name) => !known.includes(name))
  if (unknownName === undefined || known.length === 0) return
  const message = `the template uses {{${unknownName}}}, which is not one of its parameters (${known.join(', ')})`
  source.refuse([...path, 'parameters'], message)
}

async function resolveSkill(context: AgentContext, block: ToolBlockOf<'skill'>, path: Path): Promise<SkillTool> {
  const at = [...path, 'folder']
  const folder = (await resolveProjectPath(context, block.folder, at)) ?? ''
  const text = folder === '' ? '' : await readPrompt(context, join(block.folder, 'SKILL.md'), at)
  const description = block.description ?? frontmatterOf(text).fields.description ?? ''
  if (description === '' && text !== '') {
    const message = `skill "${block.name}" needs a description, here or in the front matter of SKILL.md`
    context.source.report({ severity: 'error', code: 'config.missing-key', path, message })
  }
  return { type: 'skill', ...commonToolFields({ ...block, description }), folder }
}

/** The Claude backend ignores tool filtering and warns. */
export function resolveToolFiltering({ file, source }: AgentContext, backend: BackendName): ToolFiltering | null {
  const block = file.tool_filtering
  if (block == null) return null
  if (backend === 'claude') {
    source.warnNoEffect(['tool_filtering'], 'the Claude backend selects tools itself')
    return null
  }
  if (block.enabled === false) return null
  return {
    topK: block.top_k ?? 5,
    minScore: block.similarity_threshold ?? 0.3,
    alwaysInclude: block.always_include ?? [],
    alwaysIncludeMostUsed: block.always_include_top_n_used ?? 3,
    method: block.search_method ?? 'bm25',
  }
}
