// A tool call as text: one line in a list, the whole input in an approval.
import { relative } from 'node:path'
import { ellipsize, type JsonObject, QuestionItem, type StreamedEvent, visibleText } from '@quarterdeck/protocol'

const identifying = ['command', 'file_path', 'path', 'pattern', 'description', 'url', 'query', 'prompt'] as const

/** The argument that identifies a call; paths inside the working directory are shown relative. */
function toolSubject(input: JsonObject, cwd: string): string {
  for (const name of identifying) {
    const value = input[name]
    if (typeof value !== 'string') continue
    return name === 'file_path' || name === 'path' ? shortPath(value, cwd) : value
  }
  const asked = QuestionItem.array().safeParse(input.questions)
  if (asked.success) return asked.data.map(({ question }) => question).join(' / ')
  const text = JSON.stringify(input)
  return text === '{}' ? '' : text
}

/** MCP tools by server and tool: `mcp__github__create_issue` is `github · create_issue`. Escapes control characters. */
export function toolTitle(toolName: string): string {
  const [, server = '', tool] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  if (tool === undefined) return visibleText(toolName)
  return visibleText(ownServers.has(server) ? tool : `${server} · ${tool}`)
}

/** What the agent does after an event, for the progress line. */
export const activityAfter = (event: StreamedEvent): string =>
  event.type === 'AgentInvokedTool' ? `Running ${toolTitle(event.data.toolName)}` : 'Working'

/** A tool and its subject on one line: `Bash git push`. Escapes control characters. */
export const callTitle = (
  { toolName, toolInput }: { readonly toolName: string; readonly toolInput: JsonObject },
  cwd: string,
): string => `${toolTitle(toolName)} ${shortSubject(toolInput, cwd)}`.trim()

/** Prefixes of tools of the agent file and of clients; they are not MCP servers. */
const ownServers: ReadonlySet<string> = new Set(['tools', 'client'])

/** On one line, shortened, with control characters escaped. */
export const shortSubject = (input: JsonObject, cwd: string): string => shortLine(toolSubject(input, cwd))

export function shortLine(text: string, width = 100): string {
  const line = visibleText(text).replace(/\s+/g, ' ').trim()
  return ellipsize(line, width)
}

/**
 * Omits and shortens nothing, because a person decides on it. Text with visible characters is shown as text; every
 * other argument is shown as JSON. Only the field that says an edit is made once is omitted.
 */
export function wholeCall(input: JsonObject, cwd: string): readonly string[] {
  const rest = { ...input }
  const take = (name: string, show: (text: string) => readonly string[]): readonly string[] => {
    const value = input[name]
    if (typeof value !== 'string' || value === '') return []
    delete rest[name]
    return show(value)
  }
  const lines = [
    ...take('command', (text) => text.split('\n')),
    ...take('file_path', (text) => [shortPath(text, cwd)]),
    ...take('old_string', (text) => text.split('\n').map((line) => `- ${line}`)),
    ...take('new_string', (text) => text.split('\n').map((line) => `+ ${line}`)),
  ]
  if (input.replace_all === false && typeof input.old_string === 'string') delete rest.replace_all
  const why = take('description', (text) => [`why: ${text}`])
  if (Object.keys(rest).length > 0) lines.push(...jsonLines(rest))
  return [...lines, ...why].map(visibleText)
}

/** A few small arguments fit on one line. */
function jsonLines(input: JsonObject): readonly string[] {
  const line = JSON.stringify(input)
  return line.length <= 80 ? [line] : JSON.stringify(input, null, 2).split('\n')
}

function shortPath(path: string, cwd: string): string {
  const way = relative(cwd, path)
  return way === '' || way.startsWith('..') ? path : way
}
