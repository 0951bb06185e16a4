// The exact input of a call, as a person can check it: nothing is cut, and what has no place of its own is in `rest`.
// Only whether a last line ends in a newline is left to the raw JSON: a diff of lines does not say it.
import type { JsonObject } from '@quarterdeck/protocol'
import { type FileChange, fileChangeOf } from '../transcript/file-change.ts'
import { mcpName } from '../transcript/tool-call.ts'

export type AskedInput =
  | {
      readonly kind: 'command'
      readonly command: string
      readonly why: string | null
      readonly rest: JsonObject | null
    }
  | { readonly kind: 'change'; readonly change: FileChange; readonly rest: JsonObject | null }
  | { readonly kind: 'arguments'; readonly rows: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'json'; readonly json: string }

export function askedInput(toolName: string, input: JsonObject): AskedInput {
  if (toolName === 'Bash' && typeof input.command === 'string') {
    const why = typeof input.description === 'string' ? input.description : null
    return { kind: 'command', command: input.command, why, rest: restOf(input, ['command', 'description']) }
  }
  const change = fileChangeOf(toolName, input)
  if (change !== null) return { kind: 'change', change, rest: restOf(input, shownByChange[toolName] ?? []) }
  if (mcpName(toolName) === null) return { kind: 'json', json: JSON.stringify(input, null, 2) }
  const rows = Object.entries(input).map(([name, value]) => [name, argumentText(value)] as const)
  return { kind: 'arguments', rows }
}

/** Text without quotes, unless it could be mistaken for another JSON value or begins or ends with a space. */
const argumentText = (value: unknown): string =>
  typeof value === 'string' && !ambiguousText.test(value) ? value : JSON.stringify(value)

const ambiguousText = /^(?:$|\s|["[{]|-?\d)|\s$|^(?:true|false|null)$/

/** What the person edits: the command itself, or the input as JSON. */
export const editableText = (toolName: string, input: JsonObject): string =>
  toolName === 'Bash' && typeof input.command === 'string' ? input.command : JSON.stringify(input, null, 2)

/** The edited input, or the sentence that says what is wrong with it. */
export function parseEdited(
  toolName: string,
  input: JsonObject,
  text: string,
): { readonly input: JsonObject } | { readonly problem: string } {
  if (toolName === 'Bash' && typeof input.command === 'string') {
    return text.trim() === '' ? { problem: 'The command is empty.' } : { input: { ...input, command: text } }
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'The input must be a JSON object.' }
    }
    return { input: { ...value } }
  } catch (error) {
    return { problem: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** What the diff of each tool says. */
const shownByChange: Readonly<Record<string, readonly string[]>> = {
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  MultiEdit: ['file_path', 'edits'],
}

/** A flag that is off belongs to it too: `dry_run: false` is the difference that matters. */
function restOf(input: JsonObject, shown: readonly string[]): JsonObject | null {
  const rest = Object.entries(input).filter(([name, value]) => !(shown.includes(name) && isShownWhole(name, value)))
  return rest.length === 0 ? null : Object.fromEntries(rest)
}

/** The view shows texts, and edits that are two texts each; of anything else it shows at most a part. */
const isShownWhole = (name: string, value: unknown): boolean =>
  name === 'edits' ? Array.isArray(value) && value.every(isPlainEdit) : typeof value === 'string'

function isPlainEdit(edit: unknown): boolean {
  if (typeof edit !== 'object' || edit === null) return false
  return Object.entries(edit).every(
    ([name, text]) => (name === 'old_string' || name === 'new_string') && typeof text === 'string',
  )
}
