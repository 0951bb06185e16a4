import { join } from 'node:path'

/** The first examples for a newcomer; the others follow by name. */
const first = ['hello', 'coder', 'support', 'netbox', 'notes', 'invoices']

/**
 * The folders to serve, ordered so that a named folder comes before its siblings.
 * @param {string} examples
 */
export function exampleAgents(examples) {
  return [...first.map((name) => join(examples, name)), examples]
}
