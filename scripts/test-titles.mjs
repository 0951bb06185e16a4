// What the tests of a file are called: the titles of `it` and `describe`, and the first words of each row of a table.
import { parseSync } from 'vite'

/**
 * @param {string} file
 * @param {string} code
 * @returns {readonly string[]}
 */
export function testTitles(file, code) {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  /** @type {Set<string>} */
  const titles = new Set()
  visit(program)
  return [...titles]

  /** @param {unknown} node */
  function visit(node) {
    if (Array.isArray(node)) {
      for (const part of node) visit(part)
      return
    }
    if (!isNode(node)) return
    if (node.type === 'CallExpression' && isTest(node.callee)) note(node.arguments?.[0])
    if (node.type === 'ArrayExpression') note(node.elements?.[0])
    for (const [key, part] of Object.entries(node)) if (key !== 'parent') visit(part)
  }

  /** @param {unknown} node */
  function note(node) {
    if (isNode(node) && node.type === 'Literal' && typeof node.value === 'string') titles.add(node.value)
  }
}

/**
 * @typedef {object} Node the little of a syntax tree that matters here
 * @property {string} type
 * @property {unknown} [callee]
 * @property {unknown} [object]
 * @property {string} [name]
 * @property {unknown} [value]
 * @property {readonly unknown[]} [arguments]
 * @property {readonly unknown[]} [elements]
 */

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === 'object' && value !== null && 'type' in value

/**
 * `it(…)`, `it.each(…)(…)`, `describe.skipIf(…)(…)`: whatever begins with one of the words.
 * @param {unknown} callee
 * @returns {boolean}
 */
function isTest(callee) {
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return ['it', 'test', 'describe'].includes(callee.name ?? '')
  if (callee.type === 'MemberExpression') return isTest(callee.object)
  return callee.type === 'CallExpression' && isTest(callee.callee)
}
