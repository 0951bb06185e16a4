// A one-line summary of any tool call.
import type { JsonObject, ToolItem } from '@quarterdeck/protocol'
import { fileChangeOf } from './file-change.ts'

export type ToolKind = 'command' | 'read' | 'search' | 'edit' | 'write' | 'web' | 'mcp' | 'agent' | 'other'

export interface ToolSummary {
  readonly kind: ToolKind
  readonly name: string
  /** A command, path or pattern, shown in monospace. */
  readonly code: string
  /** Plain text beside it. */
  readonly detail: string
}

const kinds: Readonly<Record<string, ToolKind>> = {
  Bash: 'command',
  Read: 'read',
  NotebookRead: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'write',
  WebSearch: 'web',
  WebFetch: 'web',
  Agent: 'agent',
  Task: 'agent',
}

export const toolKind = (toolName: string): ToolKind =>
  kinds[toolName] ?? (toolName.startsWith('mcp__') ? 'mcp' : 'other')

export function toolSummary(toolName: string, input: JsonObject, folder = ''): ToolSummary {
  const kind = toolKind(toolName)
  const text = (key: string): string => (typeof input[key] === 'string' ? input[key] : '')
  switch (kind) {
    case 'command':
      return { kind, name: 'Bash', code: text('command'), detail: '' }
    case 'read':
    case 'edit':
    case 'write':
      return { kind, name: toolName, code: shortPath(text('file_path') || text('notebook_path'), folder), detail: '' }
    case 'search': {
      const searchedPath = shortPath(text('path'), folder)
      return { kind, name: 'Search', code: text('pattern'), detail: searchedPath === '' ? '' : `in ${searchedPath}` }
    }
    case 'web':
      return { kind, name: 'Web', code: '', detail: text('query') || text('url') }
    case 'agent':
      return { kind, name: text('subagent_type') || 'Subagent', code: '', detail: text('description') }
    case 'mcp': {
      const { server, tool } = mcpName(toolName) ?? { server: '', tool: '' }
      return { kind, name: server, code: firstText(input), detail: tool }
    }
    case 'other':
      return { kind, name: toolName, code: firstText(input), detail: '' }
  }
}

/** `null` for a tool that is not from an MCP server. */
export function mcpName(toolName: string): { readonly server: string; readonly tool: string } | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

/** The facts shown at the right of a settled call. */
export function toolFacts(item: ToolItem) {
  const change = fileChangeOf(item.toolName, item.toolInput, item.output)
  if (change !== null) return { added: change.added, removed: change.removed, detail: '' }
  const exit = toolKind(item.toolName) === 'command' ? exitLabel(item) : ''
  const lines = toolKind(item.toolName) === 'read' ? linesRead(item.toolInput) : ''
  return { added: 0, removed: 0, detail: exit || lines || (toolKind(item.toolName) === 'mcp' ? 'MCP' : '') }
}

/** The path relative to the folder, if it is inside. */
export function shortPath(path: string, folder: string): string {
  if (folder === '' || path === folder) return path === folder && path !== '' ? '.' : path
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

function exitLabel(item: ToolItem): string {
  if (item.status === 'done') return 'exit 0'
  const code =
    item.status === 'failed' ? /^(?:Error: )?(?:Command failed with )?exit code:? (\d+)/i.exec(item.output ?? '') : null
  return code === null ? '' : `exit ${code[1]}`
}

function linesRead(input: JsonObject): string {
  const { offset, limit } = input
  if (typeof limit !== 'number') return ''
  const first = typeof offset === 'number' ? offset : 1
  return `lines ${first}–${first + limit - 1}`
}

function firstText(input: JsonObject): string {
  const value = Object.values(input).find((entry) => typeof entry === 'string' || typeof entry === 'number')
  return value === undefined ? '' : (String(value).split('\n', 1)[0] ?? '')
}
