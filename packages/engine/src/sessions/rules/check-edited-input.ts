import type { JsonObject } from '@quarterdeck/protocol'

/** What a call acts on. Without it the tool would refuse, long after the person who edited has gone. */
const indispensable: readonly string[] = ['command', 'file_path', 'notebook_path']

/**
 * Whether an edited input can stand in for the one that was asked for: a sentence about the first thing that is wrong,
 * or `null`. Fields may be added and left out; one that is kept keeps its kind.
 */
export function checkEditedInput(original: JsonObject, edited: JsonObject): string | null {
  for (const [name, before] of Object.entries(original)) {
    const after = Object.hasOwn(edited, name) ? edited[name] : undefined
    if (indispensable.includes(name) && isFilled(before) && !isFilled(after)) {
      return `input.${name}: must be a text that is not empty, as in the call that was asked for`
    }
    if (after === undefined || before === null || kindOf(after) === kindOf(before)) continue
    return `input.${name}: must be ${kindOf(before)} as in the call that was asked for, not ${kindOf(after)}`
  }
  return null
}

/** The backend's own tools know no way to run with nothing instead of something. A sentence, or `null`. */
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
