// Reads the titles of the tests in a file: those of `it` and `describe`, and the first text of each row of their
// tables. Skipped tests are ignored.
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
  /** @type {Map<string, unknown>} the lists of the file, by name */
  const lists = new Map()
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && isNode(node.id) && node.id.name) lists.set(node.id.name, node.init)
    return true
  })
  walk(program, (node) => {
    if (node.type !== 'CallExpression' || !isTest(node.callee)) return true
    if (isLeftOut(node.callee)) return false
    note(node.arguments?.[0])
    for (const row of rowsOf(tableOf(node.callee))) note(isNode(row) && row.elements ? row.elements[0] : row)
    return true
  })
  return [...titles]

  /** @param {unknown} node */
  function note(node) {
    if (isNode(node) && node.type === 'Literal' && typeof node.value === 'string') titles.add(node.value)
  }

  /**
   * @param {unknown} table
   * @returns {readonly unknown[]}
   */
  function rowsOf(table) {
    const list = plain(table)
    if (!isNode(list)) return []
    if (list.type === 'Identifier') return rowsOf(lists.get(list.name ?? ''))
    if (list.type !== 'ArrayExpression') return []
    return (list.elements ?? []).flatMap((row) =>
      isNode(row) && row.type === 'SpreadElement' ? rowsOf(row.argument) : [plain(row)],
    )
  }
}

/**
 * @param {unknown} node
 * @param {(node: Node) => boolean} visit false for: go no deeper
 */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, visit)
    return
  }
  if (!isNode(node) || !visit(node)) return
  for (const [key, part] of Object.entries(node)) if (key !== 'parent') walk(part, visit)
}

/**
 * Removes type-only syntax.
 * @param {unknown} node
 * @returns {unknown}
 */
function plain(node) {
  return isNode(node) && /^TS(?:As|Satisfies)Expression$/.test(node.type) ? plain(node.expression) : node
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
 * @property {unknown} [argument]
 * @property {unknown} [expression]
 * @property {unknown} [property]
 * @property {unknown} [id]
 * @property {unknown} [init]
 */

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === 'object' && value !== null && 'type' in value

/**
 * `it(…)`, `it.each(…)(…)`, `describe.skipIf(…)(…)`: anything that begins with one of the words.
 * @param {unknown} callee
 * @returns {boolean}
 */
function isTest(callee) {
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return ['it', 'test', 'describe'].includes(callee.name ?? '')
  if (callee.type === 'MemberExpression') return isTest(callee.object)
  return callee.type === 'CallExpression' && isTest(callee.callee)
}

/**
 * The argument of `.each` in `it.each(table)(…)`.
 * @param {unknown} callee
 * @returns {unknown}
 */
function tableOf(callee) {
  if (!isNode(callee) || callee.type !== 'CallExpression') return undefined
  return named(callee.callee, ['each', 'for']) ? callee.arguments?.[0] : tableOf(callee.callee)
}

/**
 * `it.skip(…)`, `describe.todo(…)`, `it.skip.each(…)(…)`. Tests that are skipped only on some machines count.
 * @param {unknown} callee
 * @returns {boolean}
 */
function isLeftOut(callee) {
  if (!isNode(callee)) return false
  return named(callee, ['skip', 'todo']) || isLeftOut(callee.object ?? callee.callee)
}

/**
 * @param {unknown} callee
 * @param {readonly string[]} words
 */
const named = (callee, words) => isNode(callee) && isNode(callee.property) && words.includes(callee.property.name ?? '')
