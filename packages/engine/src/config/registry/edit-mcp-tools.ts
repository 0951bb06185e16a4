// Adds an MCP server to the text of an agent file, or removes one, and keeps comments, order and formatting.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { type Document, isMap, isScalar, isSeq, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml'

export interface McpEntry {
  readonly name: string
  readonly description?: string
  readonly transport?: 'http' | 'sse'
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  /** Names of variables that its process may read. */
  readonly env?: readonly string[]
}

/** Returns the new text. Throws `request.invalid` if the name is taken or the text is not YAML. */
export const addMcpTool = (text: string, entry: McpEntry): string => withLineBreaksOf(text, added(text, entry))

/** Windows line endings if the text has no others. */
const withLineBreaksOf = (text: string, changed: string): string =>
  /\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? changed.replaceAll(/\r?\n/g, '\r\n') : changed

function added(text: string, entry: McpEntry): string {
  const document = read(text)
  const tools = toolsIn(document)
  if (itemsOf(tools).some(({ name }) => name === entry.name)) {
    throw new QuarterdeckError('request.invalid', `a tool named "${entry.name}" already exists`)
  }
  const [last] = tools === null || tools.flow === true ? [] : tools.items.slice(-1)
  if (tools !== null && last !== undefined) {
    const at = endOfLine(text, endOf(last))
    return `${ended(text.slice(0, at))}${itemText(entry, columnOfDash(text, tools))}${text.slice(at)}`
  }
  if (tools !== null && tools.items.length > 0) return inBrackets(text, { entry, document, after: tools.items.at(-1) })
  return withNewList(text, entry, document)
}

/** Returns the text without the tool and the comment above it. Throws `request.invalid` if there is no such server. */
export function removeMcpTool(text: string, name: string): string {
  const document = read(text)
  const tools = toolsIn(document)
  const servers = itemsOf(tools).filter(({ type }) => type === 'mcp')
  const index = itemsOf(tools).findIndex((item) => item.type === 'mcp' && item.name === name)
  const node = tools?.items[index]
  if (tools === null || node === undefined) {
    const known =
      servers.length === 0 ? 'the file has none' : `the file has ${servers.map((server) => server.name).join(', ')}`
    throw new QuarterdeckError('request.invalid', `there is no MCP server "${name}": ${known}`)
  }
  const isOnly = tools.items.length === 1
  if (tools.flow === true && !isOnly) {
    const [before, next] = [tools.items[index - 1], tools.items[index + 1]]
    if (areThere(before ?? node, node, next ?? node)) {
      const [from, to] = before === undefined ? [startOf(node), startOf(next)] : [endOf(before), endOf(node)]
      return text.slice(0, from) + text.slice(to)
    }
  }
  if (isInBraces(document) || (tools.flow === true && !isOnly)) {
    document.deleteIn(isOnly ? ['tools'] : ['tools', index])
    return textOf(document)
  }
  const start = isOnly
    ? startOf(toolsPair(document)?.key)
    : startWithComments(text, startOfLine(text, dashBefore(text, startOf(node))))
  return text.slice(0, start) + text.slice(endOfLine(text, isOnly ? endOf(tools) : endOf(node)))
}

function read(text: string): Document {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault !== undefined) throw new QuarterdeckError('request.invalid', `the file is not valid YAML: ${fault.message}`)
  if (!isMap(document.contents)) throw new QuarterdeckError('request.invalid', 'the file contains no agent')
  return document
}

/** `null` if there is none yet. */
function toolsIn(document: Document): YAMLSeq | null {
  const tools = document.get('tools')
  if (tools === undefined || tools === null) return null
  if (isSeq(tools)) return tools
  throw new QuarterdeckError('request.invalid', '"tools" is not a list')
}

const itemsOf = (tools: YAMLSeq | null): readonly { readonly name: unknown; readonly type: unknown }[] =>
  (tools?.items ?? []).map((item) => (isMap(item) ? { name: item.get('name'), type: item.get('type') } : nameless))

const nameless = { name: undefined, type: undefined }

function itemOf(entry: McpEntry) {
  const { name, description, transport, command, args = [], url, env = [] } = entry
  return {
    type: 'mcp',
    name,
    ...(description === undefined ? {} : { description }),
    ...(transport === undefined ? {} : { transport }),
    ...(command === undefined ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(url === undefined ? {} : { url }),
    ...(env.length === 0 ? {} : { env }),
  }
}

function itemText(entry: McpEntry, column: number): string {
  const indent = ' '.repeat(column)
  return stringify([itemOf(entry)], { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => `${indent}${line}\n`)
    .join('')
}

/** Starts the list if `tools` is missing or empty: in its place, or at the end of the file. */
function withNewList(text: string, entry: McpEntry, document: Document): string {
  if (isInBraces(document)) return writtenAnew(document, entry)
  const pair = toolsPair(document)
  if (pair === undefined) return `${ended(text)}tools:\n${itemText(entry, 2)}`
  const [, keyEnd] = rangeOf(pair.key)
  const isWritten = isSeq(pair.value) || (isScalar(pair.value) && endOf(pair.value) > startOf(pair.value)) // `[]`, `~`
  const rest = text.slice(isWritten ? endOf(pair.value) : keyEnd + 1)
  const restOfLine = rest.slice(0, endOfLine(rest, 0)).trimEnd()
  const after = rest.slice(endOfLine(rest, 0))
  return `${text.slice(0, keyEnd)}:${restOfLine}\n${itemText(entry, 2)}${after}`
}

const isInBraces = ({ contents }: Document): boolean => isMap(contents) && contents.flow === true

const toolsPair = ({ contents }: Document) =>
  isMap(contents) ? contents.items.find(({ key }) => isScalar(key) && key.value === 'tools') : undefined

/** Inserts after an item of a flow-style list; JSON stays JSON. */
function inBrackets(
  text: string,
  { entry, document, after }: { readonly entry: McpEntry; readonly document: Document; readonly after: unknown },
): string {
  if (!areThere(after)) return writtenAnew(document, entry)
  const item = itemOf(entry)
  const shown = isInBraces(document)
    ? JSON.stringify(item)
    : stringify(item, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
  return `${text.slice(0, endOf(after))}, ${shown}${text.slice(endOf(after))}`
}

/** An alias has no position here. */
const areThere = (...nodes: readonly unknown[]): boolean => nodes.every((node) => endOf(node) > startOf(node))

/** For other flow-style content: comments stay, line breaks may move. */
function writtenAnew(document: Document, entry: McpEntry): string {
  const item = document.createNode(parseDocument(itemText(entry, 0)).toJS()[0])
  if (document.get('tools') === undefined || document.get('tools') === null) document.set('tools', [item])
  else document.addIn(['tools'], item)
  return textOf(document)
}

const textOf = (document: Document): string => document.toString({ lineWidth: 0 })

const startOf = (node: unknown): number => rangeOf(node)[0]
const endOf = (node: unknown): number => rangeOf(node)[1]

function rangeOf(node: unknown): readonly [number, number, number] {
  const range = isMap(node) || isSeq(node) || isScalar(node) ? (node as YAMLMap).range : undefined
  return range ?? [0, 0, 0]
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
const startOfLine = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** After the line break; a block scalar ends with its own. */
function endOfLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at
  const next = text.indexOf('\n', at)
  return next === -1 ? text.length : next + 1
}

const dashBefore = (text: string, at: number): number => text.lastIndexOf('-', at - 1)

const columnOfDash = (text: string, tools: YAMLSeq): number => {
  const dash = dashBefore(text, startOf(tools.items[0]))
  return dash - startOfLine(text, dash)
}

/** Comment lines directly above, without an empty line between. */
function startWithComments(text: string, start: number): number {
  let at = start
  while (at > 0) {
    const above = startOfLine(text, at - 1)
    if (!/^\s*#/.test(text.slice(above, at))) break
    at = above
  }
  return at
}
