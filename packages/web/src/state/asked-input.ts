// The exact input of a call, as a person can check it: nothing is cut, nothing is left out.
import type { JsonObject } from '@quarterdeck/protocol'
import { type FileChange, fileChangeOf } from './file-change.ts'

export type AskedInput =
  | {
      readonly kind: 'command'
      readonly command: string
      readonly why: string | null
      readonly rest: JsonObject | null
    }
  | { readonly kind: 'change'; readonly change: FileChange; readonly rest: JsonObject | null }
  | { readonly kind: 'json'; readonly json: string }

export function askedInput(toolName: string, input: JsonObject): AskedInput {
  if (toolName === 'Bash' && typeof input.command === 'string') {
    const { command, description, ...rest } = input
    const why = typeof description === 'string' ? description : null
    return { kind: 'command', command: input.command, why, rest: remainder(rest) }
  }
  const change = fileChangeOf(toolName, input)
  if (change !== null) {
    const { file_path: _path, old_string: _old, new_string: _new, content: _content, edits: _edits, ...rest } = input
    return { kind: 'change', change, rest: remainder(rest) }
  }
  return { kind: 'json', json: JSON.stringify(input, null, 2) }
}

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

/** A flag that is off says nothing. */
function remainder(rest: JsonObject): JsonObject | null {
  const said = Object.entries(rest).filter(([, value]) => value !== false)
  return said.length === 0 ? null : Object.fromEntries(said)
}
