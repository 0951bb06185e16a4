// The exact input of a call, for a user to check. Nothing is cut: fields without their own view are in `otherInput`.
// Only the raw JSON shows whether the last line ends in a newline, because a line diff does not.
import { isRecord, type JsonObject, messageOf } from '@quarterdeck/protocol'
import { type FileChange, fileChangeOf } from '../transcript/file-change.ts'
import { mcpName } from '../transcript/tool-call.ts'

export type AskedInput =
  | {
      readonly kind: 'command'
      readonly command: string
      readonly why: string | null
      readonly otherInput: JsonObject | null
    }
  | { readonly kind: 'change'; readonly change: FileChange; readonly otherInput: JsonObject | null }
  | { readonly kind: 'arguments'; readonly rows: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'json'; readonly json: string }

export function askedInput(toolName: string, input: JsonObject): AskedInput {
  if (toolName === 'Bash' && typeof input.command === 'string') {
    const why = typeof input.description === 'string' ? input.description : null
    return { kind: 'command', command: input.command, why, otherInput: otherInputOf(input, ['command', 'description']) }
  }
  const change = fileChangeOf(toolName, input)
  if (change !== null) return { kind: 'change', change, otherInput: otherInputOf(input, shownByChange[toolName] ?? []) }
  if (mcpName(toolName) === null) return { kind: 'json', json: JSON.stringify(input, null, 2) }
  const rows = Object.entries(input).map(([name, value]) => [name, argumentText(value)] as const)
  return { kind: 'arguments', rows }
}

/** Text without quotes, unless it looks like another JSON value or starts or ends with a space. */
const argumentText = (value: unknown): string =>
  typeof value === 'string' && !ambiguousText.test(value) ? value : JSON.stringify(value)

const ambiguousText = /^(?:$|\s|["[{]|-?\d)|\s$|^(?:true|false|null)$/

/** The text a user edits: the command itself, or the input as JSON. */
export const editableText = (toolName: string, input: JsonObject): string =>
  toolName === 'Bash' && typeof input.command === 'string' ? input.command : JSON.stringify(input, null, 2)

/** Returns the edited input, or a sentence about the problem with it. */
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
    return isRecord(value) ? { input: { ...value } } : { problem: 'The input must be a JSON object.' }
  } catch (error) {
    return { problem: `Not valid JSON: ${messageOf(error)}` }
  }
}

/** The fields that the diff of each tool shows. */
const shownByChange: Readonly<Record<string, readonly string[]>> = {
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  MultiEdit: ['file_path', 'edits'],
}

/** Includes false values: `dry_run: false` is an important difference. */
function otherInputOf(input: JsonObject, shown: readonly string[]): JsonObject | null {
  const others = Object.entries(input).filter(([name, value]) => !(shown.includes(name) && isShownWhole(name, value)))
  return others.length === 0 ? null : Object.fromEntries(others)
}

/** The view shows only strings in full, and edits that consist of two strings. */
const isShownWhole = (name: string, value: unknown): boolean =>
  name === 'edits' ? Array.isArray(value) && value.every(isPlainEdit) : typeof value === 'string'

function isPlainEdit(edit: unknown): boolean {
  if (typeof edit !== 'object' || edit === null) return false
  return Object.entries(edit).every(
    ([name, text]) => (name === 'old_string' || name === 'new_string') && typeof text === 'string',
  )
}
