import { join } from 'node:path'

/** What a newcomer meets first; the others follow by name. */
const first = ['hello', 'coder', 'support', 'netbox', 'notes', 'invoices']

/**
 * The folders to serve: a folder named before its parent comes before its siblings.
 * @param {string} examples
 */
export function exampleAgents(examples) {
  return [...first.map((name) => join(examples, name)), examples]
}
