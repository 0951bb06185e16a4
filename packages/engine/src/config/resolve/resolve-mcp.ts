// An MCP server: its transport, its variables and headers, and its tools.
import type { McpTool, McpTransport } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { isThisMachine } from '../check/check-endpoint.ts'
import { checkProgram } from '../check/check-named-files.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import type { McpBlock } from '../schema/tools-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'
import { folderOf, readVariables, resolveVariables, secretValues, type Values } from './resolve-variables.ts'
import { commonToolFields, type ResolvedTool, resolveModule, toMs } from './resolved-tool.ts'

type Transport = NonNullable<McpBlock['transport']>

/** The keys each transport requires, and the keys only it uses. */
const own: Readonly<Record<Transport, readonly (keyof McpBlock)[]>> = {
  stdio: ['command', 'args', 'cwd', 'env', 'env_file', 'encoding', 'config'],
  http: ['url', 'headers', 'terminate_on_close'],
  sse: ['url', 'headers'],
  in_process: ['file', 'function', 'env', 'env_file', 'config'],
}
const needed: Readonly<Record<Transport, readonly (keyof McpBlock)[]>> = {
  stdio: ['command'],
  http: ['url'],
  sse: ['url'],
  in_process: ['file', 'function'],
}

export async function resolveMcp(context: AgentContext, block: McpBlock, path: Path): Promise<ResolvedTool> {
  const kind = block.transport ?? 'stdio'
  checkFields(context, { block, kind, path })
  const env = await variablesOf(context, block, path)
  const headers = block.headers ?? {}
  const tool: McpTool = {
    type: 'mcp',
    ...commonToolFields(block),
    transport: await transportOf(context, { block, kind, path, env }),
    allowedTools: block.load_tools === false ? [] : (block.allowed_tools ?? null),
    disallowedTools: block.disallowed_tools ?? [],
    connectTimeoutMs: toMs(block.timeout ?? 30),
    requestTimeoutMs: toMs(block.request_timeout ?? 60),
    onFailure: block.on_failure ?? 'error',
    isRetrieval: block.is_retrieval ?? false,
  }
  const declared = [
    ...secretValues(context, block.config == null ? env : { ...env, MCP_CONFIG: '' }, [...path, 'env']),
    ...secretValues(context, headers, [...path, 'headers']),
    ...secretValues(context, textsOf(block.config ?? {}), [...path, 'config']),
  ]
  return { tool, secrets: { env, headers }, declared }
}

/** Programs may get `config` as separate variables. */
const textsOf = (config: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

interface Written {
  readonly block: McpBlock
  readonly kind: Transport
  readonly path: Path
}

/** The transport implied by other keys, when none is set and the default lacks its required keys. */
function impliedTransport(block: McpBlock): Transport | null {
  if (block.transport != null || block.command != null) return null
  if (block.url != null) return 'http'
  return block.file != null && block.function != null ? 'in_process' : null
}

function checkFields({ source }: AgentContext, { block, kind, path }: Written): void {
  // A transport that was written and refused: its required keys are unknown.
  if (block.transport == null && valueAt(source.value, [...path, 'transport']) != null) return
  const implied = impliedTransport(block)
  if (implied !== null) {
    const ways = implied === 'http' ? 'use http or sse with "url"' : `use ${implied} with "file" and "function"`
    source.refuseMissing([...path, 'transport'], ways)
    return
  }
  for (const key of needed[kind]) {
    if (block[key] != null) continue
    source.refuseMissing([...path, key], `an MCP server with transport ${kind} needs it`)
  }
  const unusedKeys = new Set(Object.values(own).flat())
  for (const key of own[kind]) unusedKeys.delete(key)
  for (const key of unusedKeys) {
    if (block[key] == null) continue
    source.warnNoEffectIn([...path, key], `with transport ${kind}`)
  }
}

async function variablesOf(context: AgentContext, block: McpBlock, path: Path): Promise<Values> {
  const file = block.env_file == null ? {} : await readVariables(context, block.env_file, [...path, 'env_file'])
  const config = block.config == null ? {} : { MCP_CONFIG: JSON.stringify(block.config) }
  return { ...file, ...config, ...resolveVariables(context, block.env, [...path, 'env']) }
}

async function transportOf(
  context: AgentContext,
  { block, kind, path, env }: Written & { readonly env: Values },
): Promise<McpTransport> {
  switch (kind) {
    case 'stdio': {
      const at = [...path, 'cwd']
      const cwd = block.cwd == null ? null : await resolveProjectPath(context, block.cwd, at)
      const args = await Promise.all(
        (block.args ?? []).map((arg, index) => argument(context, arg, [...path, 'args', index])),
      )
      const command = await argument(context, block.command ?? '', [...path, 'command'])
      const folder = cwd ?? folderOf(context, path)
      const severity = block.on_failure === 'warn' ? 'warning' : 'error'
      if (context.options.checksFiles === true)
        await checkProgram(context, { command, args, cwd: folder, path, severity })
      return { type: 'stdio', command, args, env: Object.keys(env), cwd: folder }
    }
    case 'http':
    case 'sse': {
      const headers = Object.keys(block.headers ?? {})
      const terminateOnClose = block.terminate_on_close ?? true
      return { type: kind, url: checkUrl(context, block.url ?? '', [...path, 'url']), headers, terminateOnClose }
    }
    case 'in_process': {
      const file = block.file == null ? '' : await resolveModule(context, block.file, [...path, 'file'])
      return { type: 'in_process', file, functionName: block.function ?? '', env: Object.keys(env) }
    }
  }
}

/** A command that starts with `./` or `../` is a path relative to the file. */
async function argument(context: AgentContext, written: string, path: Path): Promise<string> {
  if (!/^\.{1,2}\//.test(written)) return written
  return (await resolveProjectPath(context, written, path)) ?? written
}

function checkUrl({ source }: AgentContext, written: string, path: Path): string {
  if (written === '') return ''
  const refuse = (message: string): string => {
    source.refuseValue(path, message)
    return ''
  }
  if (!URL.canParse(written)) return refuse(`"${formatPath(path)}" must be an https address`)
  const { protocol, hostname, username, password } = new URL(written)
  if (username !== '' || password !== '')
    return refuse(`"${formatPath(path)}" must not contain a user name or password: use headers`)
  if (protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))) return written
  return refuse(`"${formatPath(path)}" must be an https address; http is allowed for this machine only`)
}
