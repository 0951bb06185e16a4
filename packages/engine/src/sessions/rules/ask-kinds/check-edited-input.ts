import type { JsonObject } from '@quarterdeck/protocol'

/** The field that a call acts on. Without it the tool would refuse long after the person has edited. */
const indispensable: readonly string[] = ['command', 'file_path', 'notebook_path']

/**
 * Checks whether an edited input can replace the requested one. Returns the first problem, or `null`. Fields may be
 * added and left out; a field that stays must keep its type.
 */
export function checkEditedInput(original: JsonObject, edited: JsonObject): string | null {
  for (const [name, before] of Object.entries(original)) {
    const after = Object.hasOwn(edited, name) ? edited[name] : undefined
    if (indispensable.includes(name) && isFilled(before) && !isFilled(after)) {
      return `input.${name}: must be a non-empty text, as in the requested call`
    }
    if (after === undefined || before === null || kindOf(after) === kindOf(before)) continue
    return `input.${name}: must be ${kindOf(before)} as in the requested call, not ${kindOf(after)}`
  }
  return null
}

/** The backend's own tools cannot run with an empty input. Returns the problem, or `null`. */
export function checkEmptied(toolName: string, original: JsonObject, edited: JsonObject): string | null {
  const isEmptied = Object.keys(edited).length === 0 && Object.keys(original).length > 0
  return isEmptied && !toolName.startsWith('mcp__') ? `input: ${toolName} cannot be run with an empty input` : null
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
