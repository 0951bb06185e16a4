// What the tests of a file are called: the titles of `it` and `describe`, and the first words of each row of a table.
import { parseSync } from 'vite'

/** @returns {readonly string[]} */
export function testTitles(file, code) {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0].message}`)
  const titles = new Set()
  visit(program)
  return [...titles]

  function visit(node) {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const part of node) visit(part)
      return
    }
    if (node.type === 'CallExpression' && isTest(node.callee)) note(node.arguments[0])
    if (node.type === 'ArrayExpression') note(node.elements[0])
    for (const [key, part] of Object.entries(node)) if (key !== 'parent') visit(part)
  }

  function note(node) {
    if (node?.type === 'Literal' && typeof node.value === 'string') titles.add(node.value)
  }
}

/** `it(…)`, `it.each(…)(…)`, `describe.skipIf(…)(…)`: whatever begins with one of the words. */
function isTest(callee) {
  if (callee.type === 'Identifier') return ['it', 'test', 'describe'].includes(callee.name)
  if (callee.type === 'MemberExpression') return isTest(callee.object)
  return callee.type === 'CallExpression' && isTest(callee.callee)
}
